import { ServiceError } from '../errors/service-error.ts';
import { type EgressRule, readEgressRule } from '../guest/egress/egress-rule.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** Where webhooks of runs may go, and how they are signed. */
export interface WebhookConfig {
  /** The only hosts; absent: every public one. */
  readonly allow?: readonly EgressRule[];
  /** Absent: they are not signed. */
  readonly secret?: string;
}

/** `config_invalid` with one sentence. */
export function webhookConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): WebhookConfig {
  const { 'webhooks.secret': secret, 'webhooks.allow': entries = [] } = values;
  const signed = secret === undefined ? {} : { secret };
  const name = given.get('webhooks.allow');
  if (name === undefined) return signed;
  const allow = entries.map((entry): EgressRule => {
    const rule = readEgressRule(entry);
    if (!('wrong' in rule)) return rule;
    throw invalid(`${name}: ${JSON.stringify(entry)} ${rule.wrong}.`);
  });
  if (allow.length === 0) throw invalid(`${name} names no host: name one, or leave it out.`);
  return { ...signed, allow };
}

function invalid(sentence: string): ServiceError {
  return new ServiceError('config_invalid', sentence);
}
