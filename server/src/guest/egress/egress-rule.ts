import ipaddr from 'ipaddr.js';

import { addressOf, canonicalHost } from './host-name.ts';

/** One entry of `guest.egress_allow`. Without a port it applies to all ports. */
export interface EgressRule {
  readonly host:
    | { readonly kind: 'any' }
    | { readonly kind: 'name'; readonly name: string }
    /** Every name that ends with this suffix, which begins with a dot. */
    | { readonly kind: 'below'; readonly suffix: string }
    /** The addresses that share their first bits with this one. */
    | { readonly kind: 'addresses'; readonly first: string; readonly bits: number };
  readonly port?: number;
}

/** What is wrong with an entry, for a sentence that begins with the entry. */
export interface WrongRule {
  readonly wrong: string;
}

const PORT = /^[1-9]\d{0,4}$/;

/** Reads `host`, `*.host`, `*`, an address or a range of addresses (`10.0.0.0/8`), each with or without `:port`. */
export function readEgressRule(entry: string): EgressRule | WrongRule {
  if (entry.includes('://')) {
    const host = URL.parse(entry)?.host;
    return { wrong: `is a URL${host ? `; write its host alone, ${host}` : ''}` };
  }
  const { host: written, port } = splitPort(entry);
  if (port !== undefined && (!PORT.test(port) || Number(port) > 65_535)) {
    return { wrong: `has no port from 1 to 65535 behind its colon` };
  }
  const host = readHost(written);
  if ('wrong' in host) return host;
  return port === undefined ? { host } : { host, port: Number(port) };
}

function splitPort(entry: string): { host: string; port?: string } {
  const [, inBrackets, behind] = /^\[([^\]]*:[^\]]*)\](.*)$/.exec(entry) ?? [];
  if (inBrackets !== undefined && behind !== undefined) {
    if (behind === '') return { host: inBrackets };
    return { host: inBrackets, port: behind.startsWith(':') ? behind.slice(1) : '' };
  }
  const [host = '', port, ...more] = entry.split(':');
  // An IPv6 address without brackets contains colons itself.
  return port === undefined || more.length > 0 ? { host: entry } : { host, port };
}

function readHost(written: string): EgressRule['host'] | WrongRule {
  if (written === '*') return { kind: 'any' };
  if (written.includes('/')) return readRange(written);
  const isBelow = written.startsWith('*.');
  const host = canonicalHost(isBelow ? written.slice(2) : written);
  if (written.includes('*', isBelow ? 1 : 0)) {
    return { wrong: 'has a * elsewhere than in place of the first labels, as in *.example.com' };
  }
  if (host === undefined) {
    return { wrong: 'is neither a host nor an address, as api.example.com, 10.0.0.5 or [::1]' };
  }
  const address = addressOf(host);
  if (!isBelow) {
    if (address === undefined) return { kind: 'name', name: host };
    return { kind: 'addresses', first: host, bits: address.toByteArray().length * 8 };
  }
  if (address !== undefined) return { wrong: 'has a * before an address; write 10.0.0.0/8' };
  return { kind: 'below', suffix: `.${host}` };
}

function readRange(written: string): EgressRule['host'] | WrongRule {
  const [base = '', bits = '', ...more] = written.split('/');
  const host = canonicalHost(base);
  const address = host === undefined ? undefined : addressOf(host);
  const most = address instanceof ipaddr.IPv4 ? 32 : 128;
  if (host === undefined || address === undefined || !/^\d{1,3}$/.test(bits) || more.length > 0) {
    return { wrong: 'is neither a host nor a range of addresses, as 10.0.0.0/8 or fd00::/8' };
  }
  // ::ffff:10.0.0.0/104 would have become 10.0.0.0/104.
  if (Number(bits) > most) return { wrong: `has more than ${most} bits behind its slash` };
  return { kind: 'addresses', first: host, bits: Number(bits) };
}
