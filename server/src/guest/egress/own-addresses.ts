import { networkInterfaces } from 'node:os';

import { addressOf, canonicalHost } from './host-name.ts';

/** An address that is new on this machine is known after so long. */
const KEPT_MS = 2_000;

/** Azure's WireServer: a public address that only virtual machines there reach, with secrets of theirs. */
const WIRE_SERVER = '168.63.129.16';

let known: { at: number; addresses: ReadonlySet<string> } | undefined;

/** True for an address that only seems to be on the Internet: one of this machine itself, or of its cloud. */
export function isOwnAddress(text: string): boolean {
  const address = normal(text);
  return address === WIRE_SERVER || (address !== undefined && current().has(address));
}

function current(): ReadonlySet<string> {
  const now = performance.now();
  if (known === undefined || now - known.at > KEPT_MS) {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const addresses = all.flatMap((one) => normal(one.address) ?? []);
    known = { at: now, addresses: new Set(addresses) };
  }
  return known.addresses;
}

/** One text for each address. Behind the prefix of NAT64 it is the IPv4 address in the last four bytes. */
function normal(text: string): string | undefined {
  const host = canonicalHost(text.replace(/%.*$/, ''));
  const address = host === undefined ? undefined : addressOf(host);
  const [, last] =
    /^(?:0:)?64:ff9b:(?:0:)*((?:[\da-f]+:)?[\da-f]+)$/.exec(address?.toNormalizedString() ?? '') ??
    [];
  if (address === undefined || last === undefined) return address?.toNormalizedString();
  return address.toByteArray().slice(12).join('.');
}
