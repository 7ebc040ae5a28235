import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// The one thing that cannot be had here: a machine with a public address of its own.
const interfaces = vi.hoisted(() => ({ addresses: ['203.0.114.9', '2600:1f18::9'] }));
vi.mock('node:os', async (load) => ({
  ...(await load<object>()),
  networkInterfaces: () => ({ eth0: interfaces.addresses.map((address) => ({ address })) }),
}));

const { AllowList } = await import('./allow-list.ts');
const { readEgressRule } = await import('./egress-rule.ts');

const every = new AllowList(undefined);
const target = { host: 'example.com', port: 443 };

function allowing(entry: string): InstanceType<typeof AllowList> {
  const rule = readEgressRule(entry);
  if ('wrong' in rule) throw new Error(rule.wrong);
  return new AllowList([rule]);
}

describe('an address of this machine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    '203.0.114.9',
    '::ffff:203.0.114.9',
    '::ffff:cb00:7209',
    '64:ff9b::cb00:7209',
    '2600:1f18:0:0::9',
    '2600:1F18::9',
  ])('is refused as %s', (address) => expect(every.permitsAddress(address, target)).toBe(false));

  it('is reached where a rule names it, and not because every host is allowed', () => {
    expect(allowing('203.0.114.9').permitsAddress('203.0.114.9', target)).toBe(true);
    expect(allowing('example.com').permitsAddress('203.0.114.9', target)).toBe(true);
    expect(allowing('*').permitsAddress('203.0.114.9', target)).toBe(false);
  });

  it('is known some seconds after it came', () => {
    expect(every.permitsAddress('203.0.114.10', target)).toBe(true);
    interfaces.addresses.push('203.0.114.10');
    vi.advanceTimersByTime(3_000);
    expect(every.permitsAddress('203.0.114.10', target)).toBe(false);
  });
});

it.each(['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'])(
  'the address of a cloud machine itself is refused as %s',
  (address) => {
    expect(every.permitsAddress(address, target)).toBe(false);
    expect(allowing('168.63.129.16').permitsAddress('168.63.129.16', target)).toBe(true);
  },
);
