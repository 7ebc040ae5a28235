import { networkInterfaces } from 'node:os';

import { canonicalHost } from './host-name.ts';

/** Interfaces come and go (VPNs, containers), and asking is a system call for each connection otherwise. */
const KEPT_MS = 2_000;

/** Tells whether an address, as `canonicalHost` writes it, is one of this machine's interfaces. */
export type IsOwnAddress = (address: string) => boolean;

/** Asks the system, now and then: what listens on a public address of this machine is not meant for its agents. */
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
