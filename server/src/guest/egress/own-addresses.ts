import { networkInterfaces } from 'node:os';

import { canonicalHost } from './host-name.ts';

/** Interfaces change (VPNs, containers); without a cache every connection would cost a system call. */
const KEPT_MS = 2_000;

/** Whether an address, in the form of `canonicalHost`, belongs to one of this machine's interfaces. */
export type IsOwnAddress = (address: string) => boolean;

/** This machine's addresses, cached for a short time: agents must not reach its services on public addresses. */
export function ownAddresses(
  interfaces: typeof networkInterfaces = networkInterfaces,
  now: () => number = () => performance.now(),
): IsOwnAddress {
  let known: ReadonlySet<string> = new Set();
  let until = -Infinity;
  return (address) => {
    if (now() >= until) {
      known = addressesOf(interfaces());
      until = now() + KEPT_MS;
    }
    return known.has(address);
  };
}

function addressesOf(interfaces: ReturnType<typeof networkInterfaces>): ReadonlySet<string> {
  const all = Object.values(interfaces).flatMap((one) => one ?? []);
  return new Set(all.flatMap(({ address }) => canonicalHost(address.replace(/%.*$/, '')) ?? []));
}
