import { ServiceError } from '../errors/service-error.ts';
import { readEgressRule, type EgressRule } from '../guest/egress/egress-rule.ts';
import type { ServiceConfig } from './service-config.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** The network access of agents in a sandbox; `config_invalid` with one sentence. */
export function guestNetwork(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): { network: ServiceConfig['guest']['network']; warnings: string[] } {
  const mode = values['guest.network'];
  const name = given.get('guest.egress_allow');
  const isSandboxed = values['guest.sandbox'] !== 'none';
  if (name === undefined) {
    const isVain = !isSandboxed && mode === 'none';
    const warning = `${given.get('guest.network') ?? ''} has no effect with --sandbox none: agents have the network of this machine.`;
    return { network: { mode }, warnings: isVain ? [warning] : [] };
  }
  if (!isSandboxed) throw invalid(`${name} works only with --sandbox docker or gvisor.`);
  if (mode !== 'egress') throw invalid(`${name} needs guest.network to be egress, not ${mode}.`);
  const allow = (values['guest.egress_allow'] ?? []).map((entry): EgressRule => {
    const rule = readEgressRule(entry);
    if (!('wrong' in rule)) return rule;
    throw invalid(`${name}: ${JSON.stringify(entry)} ${rule.wrong}.`);
  });
  if (allow.length > 0) return { network: { mode, allow }, warnings: [] };
  throw invalid(`${name} names no host: name one, or set guest.network to none.`);
}

function invalid(sentence: string): ServiceError {
  return new ServiceError('config_invalid', sentence);
}
