import { describe, expect, it } from 'vitest';

import { AllowList } from './allow-list.ts';
import { readEgressRule, type EgressRule } from './egress-rule.ts';
import { hasOwnProxy, installerRules } from './installer-egress.ts';

const settings = {
  PIP_INDEX_URL: 'https://user:secret@pip.example.com/simple',
  PIP_EXTRA_INDEX_URL: 'http://127.0.0.1:3141/root http://[fd00::5]:8080/simple',
  PIP_FIND_LINKS: '/opt/index/0/wheels',
  PIP_TRUSTED_HOST: 'other.example.com',
};

function allowed(settings: Record<string, string>, forAgents?: readonly EgressRule[]): AllowList {
  return new AllowList(installerRules(settings, forAgents));
}

function rule(entry: string): EgressRule {
  const read = readEgressRule(entry);
  if ('wrong' in read) throw new Error(read.wrong);
  return read;
}

describe('an installation', () => {
  it.each([
    ['pip.example.com', 443, '10.0.0.8'],
    ['127.0.0.1', 3141, '127.0.0.1'],
    ['fd00::5', 8080, 'fd00::5'],
    ['registry.npmjs.org', 443, '10.0.0.9'],
  ])(
    'reaches an index of the settings at the private address behind %s:%i',
    (host, port, address) => {
      const list = allowed(settings, []);
      expect(list.permitsHost({ host, port })).toBe(true);
      expect(list.permitsAddress(address, { host, port })).toBe(true);
    },
  );

  it.each([
    ['pip.example.com', 22],
    ['127.0.0.1', 3142],
    ['other.example.com', 443],
    ['169.254.169.254', 80],
  ])('does not reach %s:%i where agents reach nothing', (host, port) => {
    expect(allowed(settings, []).permitsHost({ host, port })).toBe(false);
  });

  it('reaches what agents may reach, and no private address by that', () => {
    expect(
      allowed({}, [rule('git.example.com')]).permitsHost({ host: 'git.example.com', port: 443 }),
    ).toBe(true);
    const list = allowed({});
    const target = { host: 'git.example.com', port: 443 };
    expect(list.permitsHost(target)).toBe(true);
    expect(list.permitsAddress('10.0.0.1', target)).toBe(false);
  });
});

it.each([
  [{ PIP_PROXY: 'http://proxy.example.com:3128' }, true],
  [{ npm_config_https_proxy: 'http://proxy.example.com:3128' }, true],
  [settings, false],
])('knows a proxy of the user among %j', (given, expected) => {
  expect(hasOwnProxy(given)).toBe(expected);
});
