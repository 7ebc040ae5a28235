import { readEgressRule, type EgressRule } from './egress-rule.ts';

/** Where packages come from unless settings say otherwise. */
const PUBLIC_INDEXES = [
  'https://pypi.org',
  'https://files.pythonhosted.org',
  'https://registry.npmjs.org',
];

/** Settings that name a proxy: what uses them does not go through ours. */
const PROXY_SETTINGS = ['PIP_PROXY', 'npm_config_proxy', 'npm_config_https_proxy'];

/** True when the user's package indexes are reached through a proxy of the user's. */
export function hasOwnProxy(indexSettings: Readonly<Record<string, string>>): boolean {
  return PROXY_SETTINGS.some((name) => indexSettings[name] !== undefined);
}

/**
 * What an installation may reach: the package indexes, which may have private addresses, as exactly the host and port
 * that the user's settings name, and besides them what agents may reach (`forAgents`; absent: every public host).
 */
export function installerRules(
  indexSettings: Readonly<Record<string, string>>,
  forAgents: readonly EgressRule[] | undefined,
): readonly EgressRule[] {
  const words = Object.values(indexSettings).flatMap((value) => value.split(/\s+/));
  const indexes = [...PUBLIC_INDEXES, ...words].flatMap(ruleOf);
  return [...indexes, ...(forAgents ?? [{ host: { kind: 'any' } } as const])];
}

/** Nothing for a word that is no URL. */
function ruleOf(word: string): EgressRule[] {
  const url = URL.parse(word);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return [];
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const rule = readEgressRule(`${url.hostname}:${port}`);
  return 'wrong' in rule ? [] : [rule];
}
