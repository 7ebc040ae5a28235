import { isIPv6 } from 'node:net';
import { ServiceError } from '../errors/service-error.ts';

const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@A-Z]+$/;

/** The origins as browsers send them; `config_invalid` for a text that is not an origin. */
export function allowedOrigins(origins: readonly string[]): readonly string[] {
  const wrong = origins.find((origin) => origin !== '*' && !ORIGIN.test(origin));
  if (wrong === undefined) return origins;
  throw new ServiceError(
    'config_invalid',
    `api.cors.allowed_origins takes origins such as https://app.example.org, without a path, or *, not "${wrong}".`,
  );
}

const LABEL = '[a-z\\d_](?:[a-z\\d_-]*[a-z\\d_])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Host names and addresses in lower case; `config_invalid` for a text that no Host header can contain. */
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

/** The address to listen on. Without a host: every interface. */
export interface ListenAddress {
  host?: string;
  port: number;
}

/** Reads `host:port`, `[ipv6]:port` or `:port`; undefined for any other text. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/i.exec(text.trim());
  if (match === null) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  return host === '' ? { port } : { host, port };
}

/** True when only this machine can reach the address. */
export function isLoopback(address: ListenAddress): boolean {
  const host = address.host?.toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host ?? '');
}
