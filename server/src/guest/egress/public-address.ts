import ipaddr from 'ipaddr.js';

import { addressOf, canonicalHost } from './host-name.ts';

/** The IPv6 addresses that are assigned for the Internet (RFC 4291, 2.4). */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** The prefix of IPv4 addresses in a network without IPv4 (NAT64, RFC 6052): the last four bytes are the address. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Formally public, but served by a cloud's hosts to their own machines (Azure), metadata included. */
const OF_CLOUDS = new Set(['168.63.129.16']);

/**
 * True for an address that belongs to the Internet. Everything else is refused unless a rule names it: loopback,
 * private, link-local (metadata services), carrier-grade NAT, unique-local, multicast, reserved, and the forms that
 * contain such an address. Of those forms, 6to4, Teredo and IPv4-compatible ones are all refused: they have been out of
 * use for years.
 */
export function isPublicAddress(text: string): boolean {
  const host = canonicalHost(text);
  const address = host === undefined ? undefined : addressOf(host);
  if (address === undefined) return false;
  const ipv4 = ipv4Behind(address);
  if (ipv4 !== undefined) return ipv4.range() === 'unicast' && !OF_CLOUDS.has(ipv4.toString());
  return address instanceof ipaddr.IPv6 && address.match(GLOBAL) && address.range() === 'unicast';
}

/** An IPv4 address itself, or the one that a NAT64 address contains. */
function ipv4Behind(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return address;
  if (!address.match(NAT64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

/** The address in canonical form; for a NAT64 address, the IPv4 address that it contains. */
export function plainAddress(text: string): string | undefined {
  const host = canonicalHost(text);
  const address = host === undefined ? undefined : addressOf(host);
  return address === undefined ? undefined : (ipv4Behind(address)?.toString() ?? host);
}
