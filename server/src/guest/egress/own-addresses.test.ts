import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';

import { AllowList } from './allow-list.ts';
import { readEgressRule, type EgressRule } from './egress-rule.ts';
import { canonicalHost } from './host-name.ts';
import { ownAddresses } from './own-addresses.ts';

type Interfaces = ReturnType<typeof networkInterfaces>;

function interfacesWith(...addresses: string[]): Interfaces {
  const base = { netmask: '', mac: '', internal: false, cidr: null };
  return {
    eth0: addresses.map((address) =>
      address.includes(':')
        ? { ...base, address, family: 'IPv6', scopeid: 0 }
        : { ...base, address, family: 'IPv4' },
    ),
  };
}

function rule(text: string): EgressRule {
  const read = readEgressRule(text);
  if ('wrong' in read) throw new Error(read.wrong);
  return read;
}

/** Whether a connection to the address is made, of a machine that has 8.8.4.4 and 2600::5. */
function isReached(written: string, ...rules: string[]): boolean {
  const isOwn = ownAddresses(() => interfacesWith('8.8.4.4', '2600:0:0::5', 'fe80::1%eth0'));
  const host = canonicalHost(written) ?? '';
  const list = new AllowList(rules.length === 0 ? undefined : rules.map(rule), isOwn);
  return list.permitsAddress(host, { host, port: 8090 });
}

describe('a public address of this machine', () => {
  it.each([
    ...['8.8.4.4', '0x8.8.4.4', '010.8.1028', '134743044', '::ffff:8.8.4.4', '64:ff9b::8.8.4.4'],
    ...['2600::5', '2600:0000::0005'],
    ...['168.63.129.16', '0xa83f8110', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'],
  ])('is refused as %s, as is the one of Azure', (written) => {
    expect(isReached(written)).toBe(false);
    expect(isReached(written, '*')).toBe(false);
  });

  it.each(['8.8.8.8', '2600::6', '168.63.129.17'])('is not %s', (written) => {
    expect(isReached(written)).toBe(true);
  });

  it('is reached where a rule names it', () => {
    expect(isReached('8.8.4.4', '8.8.4.4:8090')).toBe(true);
    expect(isReached('8.8.4.4', '8.8.4.4:8091')).toBe(false);
    expect(isReached('2600::5', '2600::/32')).toBe(true);
    expect(isReached('168.63.129.16', '168.63.129.16')).toBe(true);
  });
});

it('interfaces are asked for again after a while', () => {
  let [time, asked] = [0, 0];
  const isOwn = ownAddresses(
    () => interfacesWith((asked += 1) === 1 ? '8.8.4.4' : '9.9.9.9'),
    () => time,
  );
  expect([isOwn('8.8.4.4'), isOwn('9.9.9.9'), asked]).toEqual([true, false, 1]);
  time = 2_000;
  expect([isOwn('8.8.4.4'), isOwn('9.9.9.9'), asked]).toEqual([false, true, 2]);
});

it('those of this very machine are known', () => {
  const isOwn = ownAddresses();
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  expect(all.length).toBeGreaterThan(0);
  for (const { address } of all) {
    expect(isOwn(canonicalHost(address.replace(/%.*$/, '')) ?? '')).toBe(true);
  }
});
