import ipaddr from 'ipaddr.js';

import { addressOf, canonicalHost } from './host-name.ts';

/** The IPv6 addresses that are given out for the Internet (RFC 4291, 2.4). */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Here a network without IPv4 finds it (NAT64, RFC 6052): the last four bytes are the address. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Public by its number alone: here the hosts of a cloud answer their own machines (Azure), metadata among it. */
const OF_CLOUDS = new Set(['168.63.129.16']);

/**
 * True for an address that belongs to the Internet. Everything else is refused unless a rule names it: loopback,
 * private, link-local (metadata services), carrier-grade NAT, unique-local, multicast, reserved, and the forms that
 * have such an address inside. Of those forms, 6to4, Teredo and IPv4-compatible ones are refused as a whole: nobody
 * has served anything there for years.
 */
export function isPublicAddress(text: string): boolean {
  const host = canonicalHost(text);
  const address = host === undefined ? undefined : addressOf(host);
  if (address === undefined) return false;
  const ipv4 = ipv4Behind(address);
  if (ipv4 !== undefined) return ipv4.range() === 'unicast' && !OF_CLOUDS.has(ipv4.toString());
  return address instanceof ipaddr.IPv6 && address.match(GLOBAL) && address.range() === 'unicast';
}

/** An IPv4 address itself, or the one that a NAT64 address leads to. */
function ipv4Behind(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return address;
  if (!address.match(NAT64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** The same address in the form that it is known by: what NAT64 leads to, if anything. */
export function plainAddress(text: string): string | undefined {
  const host = canonicalHost(text);
  const address = host === undefined ? undefined : addressOf(host);
  return address === undefined ? undefined : (ipv4Behind(address)?.toString() ?? host);
}
