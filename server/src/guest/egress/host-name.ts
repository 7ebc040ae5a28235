import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const HOST = /^[\p{L}\p{M}\p{N}._-]{1,253}$/u;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The canonical form of a host: names in lower case, in punycode and without the dot at the end, IPv4 addresses as four
 * decimal numbers from any notation (`0x7f.1`, `2130706433`), IPv6 addresses as in RFC 5952, without brackets.
 * Undefined when it is no host. Both the rules and the connection use this text, so they cannot differ.
 */
export function canonicalHost(text: string): string | undefined {
  const isIPv6 = text.includes(':');
  if (!(isIPv6 ? /^[0-9a-fA-F:.]{2,45}$/ : HOST).test(text)) return undefined;
  const parsed = URL.parse(isIPv6 ? `http://[${text}]/` : `http://${text}/`)?.hostname;
  if (parsed === undefined) return undefined;
  if (isIPv6) return withoutMapping(parsed.slice(1, -1));
  const name = parsed.replace(/\.$/, '');
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
    ? name
    : undefined;
}

/** `::ffff:a.b.c.d` is connected to as a.b.c.d. */
function withoutMapping(ipv6: string): string {
  const address = ipaddr.IPv6.parse(ipv6);
  return ipv6.startsWith('::ffff:') && address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : ipv6;
}

/** The address that a canonical host is; undefined for a name. */
export function addressOf(host: string): Address | undefined {
  if (host.includes(':')) return ipaddr.IPv6.parse(host);
  return ipaddr.IPv4.isValidFourPartDecimal(host) ? ipaddr.IPv4.parse(host) : undefined;
}

/** Host and port as in a URL. */
export function withPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
