/** @module-tag seeds */
import { fc, tries } from '../../../test/fixtures/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { AllowList } from './allow-list.ts';
import { readEgressRule, type EgressRule } from './egress-rule.ts';
import { canonicalHost } from './host-name.ts';
import { isPublicAddress } from './public-address.ts';

function rule(entry: string): EgressRule {
  const read = readEgressRule(entry);
  if ('wrong' in read) throw new Error(`${entry} ${read.wrong}`);
  return read;
}

function permits(entries: string[], host: string, port = 443): boolean {
  const canonical = canonicalHost(host) ?? '';
  return new AllowList(entries.map(rule)).permitsHost({ host: canonical, port });
}

describe('the one way to write a host', () => {
  it.each([
    ['API.Example.com.', 'api.example.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['my_service', 'my_service'],
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['FE80::A', 'fe80::a'],
    ['::FFFF:127.0.0.1', '127.0.0.1'],
    ['0:0:0:0:0:ffff:7f00:1', '127.0.0.1'],
    ['::127.0.0.1', '::7f00:1'],
  ])('of %j is %s', (text, host) => expect(canonicalHost(text)).toBe(host));

  it.each([
    ...['', '.', 'a..b', '-a.example', 'a b', 'a@b', 'a/b', 'a%41.example', 'a:b', 'fe80::1%eth0'],
    ...['1.2.3.4.5', '256.1.1.1', '08.1.1.1', '1.2.3.4294967296', 'x.0x7f', ':::', '1::2::3'],
    ...[`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`, 'xn--a-', 'a\u0000b', '[::1]'],
  ])('there is none for %j', (text) => expect(canonicalHost(text)).toBeUndefined());

  it('is the one of what it gives', () => {
    const hosts = fc.oneof(fc.domain(), fc.ipV4Extended(), fc.ipV6(), fc.string());
    fc.assert(
      fc.property(hosts, (text) => {
        const host = canonicalHost(text);
        expect(canonicalHost(host ?? text)).toBe(host);
      }),
      { numRuns: tries(500) },
    );
  });
});

describe('addresses of the Internet', () => {
  const ours = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...['0.0.0.0', '224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
  ];
  it.each(ours)('%s is none, in whatever notation', (ipv4) => {
    const bytes = ipv4.split('.').map(Number);
    const number = bytes.reduce((sum, byte) => sum * 256 + byte);
    const [a = 0, b = 0, c = 0, d = 0] = bytes;
    const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    const forms = [
      ...[ipv4, String(number), `0x${number.toString(16)}`, `::ffff:${ipv4}`, `::ffff:${hex}`],
      ...[`::ffff:0:${ipv4}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`, `2001:0:${hex}::1`],
    ];
    expect(forms.filter(isPublicAddress)).toEqual([]);
  });

  it.each([
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    ...['2001:db8::1', '64:ff9b:1::1', '4000::1', '100::1', '5f00::1', 'example.com', ''],
  ])('%j is none', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '64:ff9b::101:101', '::ffff:1.1.1.1'])(
    '%s is one',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('entries of guest.egress_allow', () => {
  it.each([
    ['api.example.com', 'API.example.COM.', 443, true],
    ['api.example.com', 'x.api.example.com', 443, false],
    ['api.example.com:8443', 'api.example.com', 443, false],
    ['api.example.com:8443', 'api.example.com', 8443, true],
    ['*.example.com', 'a.b.example.com', 80, true],
    ['*.example.com', 'example.com', 80, false],
    ['*.example.com', 'badexample.com', 80, false],
    ['*.Bücher.example', 'www.xn--bcher-kva.example', 80, true],
    ['*:443', 'anything.example', 443, true],
    ['*:443', 'anything.example', 80, false],
    ['10.0.0.5:8080', '0xa.5', 8080, true],
    ['10.0.0.5', '10.0.0.6', 80, false],
    ['10.0.0.0/8', '10.9.9.9', 80, true],
    ['10.0.0.0/8', '11.0.0.1', 80, false],
    ['10.0.0.0/8:5432', '10.0.0.1', 80, false],
    ['0x7f.1', '127.0.0.1', 80, true],
    ['[::1]:80', '::1', 80, true],
    ['[::1]:80', '::1', 81, false],
    ['::1', '0:0::1', 81, true],
    ['fd00::/8', 'fd12::1', 443, true],
    ['10.0.0.0/8', '::ffff:10.0.0.1', 443, true],
    // A name below a range is not looked up before a rule speaks for it.
    ['10.0.0.0/8', 'internal.example', 443, false],
  ])('%s and %s at port %d: %s', (entry, host, port, isPermitted) => {
    expect(permits([entry], host, port)).toBe(isPermitted);
  });

  it.each([
    ['https://api.example.com/v1', 'is a URL; write its host alone, api.example.com'],
    ['api.example.com:0', 'has no port from 1 to 65535 behind its colon'],
    ['api.example.com:https', 'has no port from 1 to 65535 behind its colon'],
    ['[::1]80', 'has no port from 1 to 65535 behind its colon'],
    ['[fd00::]/8:443', 'has no port from 1 to 65535 behind its colon'],
    ['[host]:80', 'is neither a host nor an address, as api.example.com, 10.0.0.5 or [::1]'],
    ['api.*.com', 'has a * elsewhere than in place of the first labels, as in *.example.com'],
    ['*.*.com', 'has a * elsewhere than in place of the first labels, as in *.example.com'],
    ['a b', 'is neither a host nor an address, as api.example.com, 10.0.0.5 or [::1]'],
    ['user@host', 'is neither a host nor an address, as api.example.com, 10.0.0.5 or [::1]'],
    ['*.10.0.0.1', 'has a * before an address; write 10.0.0.0/8'],
    ['10.0.0.0/33', 'has more than 32 bits behind its slash'],
    ['::ffff:10.0.0.0/104', 'has more than 32 bits behind its slash'],
    ['host/8', 'is neither a host nor a range of addresses, as 10.0.0.0/8 or fd00::/8'],
    ['10.0.0.0/8/8', 'is neither a host nor a range of addresses, as 10.0.0.0/8 or fd00::/8'],
  ])('%j %s', (entry, wrong) => expect(readEgressRule(entry)).toEqual({ wrong }));

  it('permit a name whatever its case and final dot, and none that differs', () => {
    const names = fc.tuple(fc.domain(), fc.domain());
    fc.assert(
      fc.property(names, ([one, other]) => {
        expect(permits([one.toUpperCase()], `${one}.`)).toBe(true);
        expect(permits([one], other)).toBe(one.toLowerCase() === other.toLowerCase());
      }),
      { numRuns: tries(300) },
    );
  });
});

describe('an address that a permitted name leads to', () => {
  const list = new AllowList(
    ['named.example', '*.wild.example', '10.0.0.0/8', 'ported.example:80'].map(rule),
  );
  it.each([
    ['named.example', 80, '192.168.0.1', true],
    ['a.wild.example', 80, '192.168.0.1', false],
    ['a.wild.example', 80, '10.0.0.1', true],
    ['a.wild.example', 80, '::ffff:192.168.0.1', false],
    ['a.wild.example', 80, '1.1.1.1', true],
    ['ported.example', 80, '127.0.0.1', true],
    ['ported.example', 81, '127.0.0.1', false],
  ])('%s at port %d, %s: %s', (host, port, address, isPermitted) => {
    expect(list.permitsAddress(address, { host, port })).toBe(isPermitted);
  });

  it('is a public one without rules', () => {
    const [target, all] = [{ host: 'a.example', port: 443 }, new AllowList(undefined)];
    expect(all.permitsHost(target)).toBe(true);
    expect(['1.1.1.1', '10.0.0.1'].map((one) => all.permitsAddress(one, target))).toEqual([
      true,
      false,
    ]);
  });
});
