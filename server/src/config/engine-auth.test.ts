import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthority, type Authority, type Issued } from '../../test/fixtures/authority.ts';
import { makeConfigFolder, type ConfigFolder } from '../../test/fixtures/config-folder.ts';

let configFolder: ConfigFolder;
beforeEach(() => (configFolder = makeConfigFolder()));
afterEach(() => configFolder.remove());
const load: ConfigFolder['load'] = (parts) => configFolder.load(parts);

describe('credentials of the engine', () => {
  let authority: Authority;
  let issued: Issued;
  beforeAll(async () => {
    authority = await createAuthority('Cluster');
    issued = await authority.issue();
  });
  afterAll(() => authority.close());

  const target = { 'engine.target': 'cluster.example:7233' };
  const auth = (flags: Record<string, unknown>) =>
    load({ flags: { ...target, ...flags } }).config.engine.auth;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('are none unless they are given', () => {
    expect(auth({})).toBeUndefined();
  });

  it('are an API key, which always travels over TLS', () => {
    expect(auth({ 'engine.auth.api_key': 'k' })).toEqual({ apiKey: 'k', tls: {} });
  });

  it('are certificates, as files or as base64 data', () => {
    const expected = {
      tls: {
        ca: authority.cert,
        client: { cert: issued.cert, key: issued.key },
        serverName: 'engine.example',
      },
    };
    const files = {
      'engine.auth.mtls.ca_file': authority.certFile,
      'engine.auth.mtls.cert_file': issued.certFile,
      'engine.auth.mtls.key_file': issued.keyFile,
      'engine.auth.mtls.server_name': 'engine.example',
    };
    const data = {
      'engine.auth.type': 'mtls',
      'engine.auth.mtls.ca_data': base64(authority.cert),
      'engine.auth.mtls.cert_data': base64(issued.cert),
      'engine.auth.mtls.key_data': base64(issued.key),
      'engine.auth.mtls.server_name': 'engine.example',
    };
    expect(auth(files)).toEqual(expected);
    expect(auth(data)).toEqual(expected);
  });

  it('are refused when they contradict each other', async () => {
    const pair = {
      'engine.auth.mtls.cert_file': issued.certFile,
      'engine.auth.mtls.key_file': issued.keyFile,
    };
    const { keyFile: otherKey } = await authority.issue();
    const refusals: [Record<string, unknown>, RegExp][] = [
      [{ 'engine.target': undefined, 'engine.auth.api_key': 'k' }, /needs engine\.target/],
      [{ 'engine.auth.type': 'api_key' }, /api_key needs engine\.auth\.api_key/],
      [{ 'engine.auth.type': 'mtls' }, /mtls needs engine\.auth\.mtls\.cert_file/],
      [{ ...pair, 'engine.auth.api_key': 'k' }, /api_key and mutual TLS exclude each other/],
      [{ ...pair, 'engine.auth.mtls.key_file': undefined }, /cert_file or _data needs .*key_file/],
      [{ ...pair, 'engine.auth.mtls.cert_file': undefined }, /key_file or _data needs .*cert_file/],
      [{ ...pair, 'engine.auth.mtls.key_file': otherKey }, /is not the key of its certificate/],
      [{ ...pair, 'engine.auth.mtls.cert_data': 'x' }, /cert_file and .*cert_data exclude each/],
      [{ 'engine.auth.mtls.ca_data': '!' }, /ca_data holds no PEM certificate/],
      [{ 'engine.auth.mtls.ca_file': 'no' }, /ca_file names a file that cannot be read/],
      [{ 'engine.auth.type': 'magic' }, /takes api_key or mtls/],
    ];
    for (const [flags, sentence] of refusals) expect(() => auth(flags)).toThrow(sentence);
  });
});
