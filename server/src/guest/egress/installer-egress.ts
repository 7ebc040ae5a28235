import { readEgressRule, type EgressRule } from './egress-rule.ts';

/** The package indexes in use unless settings name others. */
const PUBLIC_INDEXES = [
  'https://pypi.org',
  'https://files.pythonhosted.org',
  'https://registry.npmjs.org',
];

/** Settings that name a proxy: programs that use them bypass ours. */
const PROXY_SETTINGS = ['PIP_PROXY', 'npm_config_proxy', 'npm_config_https_proxy'];

/** True when the user has configured a proxy for the package indexes. */
export function hasOwnProxy(indexSettings: Readonly<Record<string, string>>): boolean {
  return PROXY_SETTINGS.some((name) => indexSettings[name] !== undefined);
}

/**
 * The rules for an installation: the package indexes, which may have private addresses, with exactly the host and port
 * of the user's settings, and additionally the agents' rules (`forAgents`; absent: every public host).
 */
export function installerRules(
  indexSettings: Readonly<Record<string, string>>,
  forAgents: readonly EgressRule[] | undefined,
): readonly EgressRule[] {
  const words = Object.values(indexSettings).flatMap((value) => value.split(/\s+/));
  const indexes = [...PUBLIC_INDEXES, ...words].flatMap(ruleOf);
  return [...indexes, ...(forAgents ?? [{ host: { kind: 'any' } } as const])];
}

/** No rule for a word that is no URL. */
function ruleOf(word: string): EgressRule[] {
  const url = URL.parse(word);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return [];
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const rule = readEgressRule(`${url.hostname}:${port}`);
  return 'wrong' in rule ? [] : [rule];
}
