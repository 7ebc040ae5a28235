import ipaddr from 'ipaddr.js';

import { addressOf, canonicalHost } from './host-name.ts';

/** The IPv6 addresses that are given out for the Internet (RFC 4291, 2.4). */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Here a network without IPv4 finds it (NAT64, RFC 6052): the last four bytes are the address. */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

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
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  if (address.match(NAT64)) {
    return ipaddr.fromByteArray(address.toByteArray().slice(12)).range() === 'unicast';
  }
  return address.match(GLOBAL) && address.range() === 'unicast';
}
