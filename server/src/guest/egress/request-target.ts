import type { Target } from './allow-list.ts';
import { canonicalHost } from './host-name.ts';

/** Host and optional port, without user and path: the text between `http://` and the first slash, or after CONNECT. */
const AUTHORITY = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9._-]{1,254}))(?::(\d{1,5}))?$/;

const ABSOLUTE = /^http:\/\/([^/?#]*)([/?][\x21\x22\x24-\x7e]*)?$/i;

/** The target of `CONNECT host:port` (RFC 9110, 9.3.6); undefined when it is anything else. */
export function connectTarget(text: string): Target | undefined {
  return authority(text);
}

/** Target and path of `GET http://host/path`; undefined for every other form, https included. */
export function forwardTarget(text: string): (Target & { readonly path: string }) | undefined {
  const [, from = '', rest = ''] = ABSOLUTE.exec(text) ?? [];
  const target = authority(from, 80);
  return target && { ...target, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function authority(text: string, usualPort?: number): Target | undefined {
  const [, ipv6, name = '', digits] = AUTHORITY.exec(text) ?? [];
  const host = canonicalHost(ipv6 ?? name);
  const port = digits === undefined ? usualPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  // [1.2.3.4] is no address.
  if (ipv6 !== undefined && !ipv6.includes(':')) return undefined;
  return { host, port };
}
