import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { obtainLicense, type LicenseTerminal } from './obtain-license.ts';
import { communityKey, verifyLicense } from './verify-license.ts';

const community = {
  subject: 'community',
  tier: 'community',
  expiresAt: Date.parse('2036-11-21T00:00:00Z'),
};

function bundled(name: string): string {
  return readFileSync(new URL(`./keys/${name}.key`, import.meta.url), 'utf8');
}

describe('a licence key', () => {
  it('is accepted until it expires', async () => {
    expect(await verifyLicense(communityKey())).toEqual(community);
    await expect(verifyLicense(communityKey(), new Date('2037-01-01'))).rejects.toThrow(
      'The licence key expired on 2036-11-21; set SERVICE_LICENSE_KEY (the README has the free community key) or start once on a terminal, which offers it.',
    );
  });

  it.each([
    ['expired', bundled('test-expired'), /^The licence key expired on 2025-01-01; set SERVICE_/],
    ['of another product', bundled('test-other-product'), /for the product "something-else"; set/],
    ['signed by another key', bundled('test-wrong-signature'), /not signed by the vendor; set/],
    ['no key at all', 'abc', /not a key of this product; set/],
    ['unsigned', `${btoa('{"alg":"none"}')}.${btoa('{}')}.`, /not a key of this product; set/],
  ])('is refused when %s', async (_, key, sentence) => {
    await expect(verifyLicense(key)).rejects.toThrow(
      expect.objectContaining({
        code: 'license_invalid',
        message: expect.stringMatching(sentence),
      }),
    );
  });
});

describe('where the key comes from', () => {
  let configDir: string;
  beforeEach(() => (configDir = mkdtempSync(join(tmpdir(), 'license-'))));
  afterEach(() => rmSync(configDir, { recursive: true }));

  function terminalThatTypes(...answers: string[]) {
    const printed: string[] = [];
    const terminal: LicenseTerminal = {
      ask: () => Promise.resolve(answers.shift() ?? 'nothing more'),
      say: (sentence) => printed.push(sentence),
    };
    return { terminal, printed };
  }

  it('is refused without one when there is no terminal', async () => {
    await expect(obtainLicense({ configDir })).rejects.toThrow(
      'A licence key is needed; set SERVICE_LICENSE_KEY (the README has the free community key) or start once on a terminal, which offers it.',
    );
  });

  it('takes the configured key alone, never the stored one instead', async () => {
    writeFileSync(join(configDir, 'license.key'), communityKey());
    const configuredKey = bundled('test-expired');
    await expect(obtainLicense({ configDir, configuredKey })).rejects.toThrow(/expired/);
  });

  it('offers the community key, stores it for this user only, and does not ask again', async () => {
    const { terminal, printed } = terminalThatTypes('');
    expect(await obtainLicense({ configDir, terminal })).toEqual(community);
    const path = join(configDir, 'license.key');
    expect(printed).toEqual([`Licence key (community) stored in ${path}.`]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await obtainLicense({ configDir })).toEqual(community);
  });

  it('asks again after a wrong key, three times', async () => {
    const wrong = bundled('test-wrong-signature');
    const second = terminalThatTypes(wrong, communityKey());
    expect(await obtainLicense({ configDir, terminal: second.terminal })).toEqual(community);
    expect(second.printed[0]).toMatch(/not signed by the vendor/);

    rmSync(join(configDir, 'license.key'));
    const never = terminalThatTypes(wrong, wrong, wrong, '');
    await expect(obtainLicense({ configDir, terminal: never.terminal })).rejects.toThrow(/signed/);
  });

  it('asks for another when the stored one has expired', async () => {
    writeFileSync(join(configDir, 'license.key'), bundled('test-expired'));
    await expect(obtainLicense({ configDir })).rejects.toThrow(/expired on 2025-01-01/);
    const { terminal } = terminalThatTypes('');
    expect(await obtainLicense({ configDir, terminal })).toEqual(community);
  });
});
