import { isIPv6 } from 'node:net';
import { ServiceError } from '../errors/service-error.ts';

const LABEL = '[a-z\\d_](?:[a-z\\d_-]*[a-z\\d_])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Host names and addresses in lower case; `config_invalid` for what no Host header can name. */
export function allowedHosts(hosts: readonly string[]): readonly string[] {
  const names = hosts.map((host) => host.toLowerCase());
  const wrong = hosts.find((_, index) => !isHost(names[index] ?? ''));
  if (wrong === undefined) return names;
  throw new ServiceError(
    'config_invalid',
    `api.allowed_hosts takes names such as agents.example.org, without scheme, port or wildcard, not "${wrong}".`,
  );
}

function isHost(name: string): boolean {
  return NAME.test(name) || isIPv6(name);
}
