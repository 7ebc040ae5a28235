import { expect, it } from 'vitest';
import { guestNetwork } from './guest-network.ts';
import { resolveSettings } from './resolve-settings.ts';

function network(flags: Record<string, string>) {
  const { values, given } = resolveSettings({
    workingDir: '/',
    flags: new Map(Object.entries({ 'guest.sandbox': 'docker', ...flags })),
    environment: {},
  });
  return guestNetwork(values, given);
}

it('is every public host by default', () => {
  expect(network({})).toEqual({ network: { mode: 'egress' }, warnings: [] });
});

it.each(['none', 'host'] as const)('may be %s', (mode) => {
  expect(network({ 'guest.network': mode })).toEqual({ network: { mode }, warnings: [] });
});

it('is the hosts of the list', () => {
  expect(network({ 'guest.egress_allow': 'API.example.com:443, 10.0.0.0/8' })).toEqual({
    network: {
      mode: 'egress',
      allow: [
        { host: { kind: 'name', name: 'api.example.com' }, port: 443 },
        { host: { kind: 'addresses', first: '10.0.0.0', bits: 8 } },
      ],
    },
    warnings: [],
  });
});

it('warns when nothing keeps it from agents', () => {
  const flags = { 'guest.sandbox': 'none', 'guest.network': 'none' };
  expect(network(flags).warnings).toEqual([
    expect.stringContaining('guest.network has no effect with --sandbox none'),
  ]);
  expect(network({ ...flags, 'guest.network': 'egress' }).warnings).toEqual([]);
});

it.each([
  [
    { 'guest.sandbox': 'none', 'guest.egress_allow': 'a.example' },
    'guest.egress_allow works only with --sandbox docker or gvisor.',
  ],
  [
    { 'guest.network': 'host', 'guest.egress_allow': 'a.example' },
    'guest.egress_allow needs guest.network to be egress, not host.',
  ],
  [
    { 'guest.egress_allow': ' , ' },
    'guest.egress_allow names no host: name one, or set guest.network to none.',
  ],
  [
    { 'guest.egress_allow': 'a.example,https://b.example/v1' },
    'guest.egress_allow: "https://b.example/v1" is a URL; write its host alone, b.example.',
  ],
  [{ 'guest.network': 'bridge' }, 'guest.network takes none, egress or host, not "bridge".'],
])('%j is refused', (flags, sentence) => {
  expect(() => network(flags)).toThrow(sentence);
});
