import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeConfigFolder, type ConfigFolder } from '../../test/fixtures/config-folder.ts';
import { accessRules, isApiGuarded, mayChooseWho, openApiWarning } from './open-api.ts';

let configFolder: ConfigFolder;
beforeEach(() => (configFolder = makeConfigFolder()));
afterEach(() => configFolder.remove());
const load: ConfigFolder['load'] = (parts) => configFolder.load(parts);

describe('authentication', () => {
  const oidc = {
    'api.auth.enabled': true,
    'api.auth.oidc_issuer': 'https://id.example/realm',
    'api.auth.oidc_audience': 'agents',
  };

  it('is OIDC when it is enabled, and then no warning is due', () => {
    const { config, warnings } = load({ flags: oidc });
    expect(config.api.auth).toEqual({
      kind: 'oidc',
      issuer: 'https://id.example/realm',
      audience: 'agents',
    });
    expect([warnings, openApiWarning(config), isApiGuarded(config)]).toEqual([[], undefined, true]);
  });

  it('is the header in test mode, with warnings', () => {
    const { config, warnings } = load({ environment: { SERVICE_API_AUTH_TEST_MODE: 'true' } });
    expect(config.api.auth).toEqual({ kind: 'test' });
    expect(warnings).toEqual([expect.stringContaining('development only')]);
    for (const own of [undefined, { isStudioAuthDisabled: false }]) {
      expect(openApiWarning(config, own)).toContain('asks for no credentials');
      expect(isApiGuarded(config, own)).toBe(false);
    }
    expect(isApiGuarded(config, { isStudioAuthDisabled: true })).toBe(true);
  });

  it('is guarded by the token of who started the service', () => {
    const { config } = load({ environment: { SERVICE_API_SERVICE_TOKEN: 'a'.repeat(32) } });
    expect(isApiGuarded(config)).toBe(true);
  });

  it('warns about an issuer in plain text, but not about one on this machine', () => {
    const plain = { ...oidc, 'api.auth.oidc_issuer': 'http://id.example' };
    expect(load({ flags: plain }).warnings).toEqual([expect.stringContaining('is not https')]);
    const local = { ...oidc, 'api.auth.oidc_issuer': 'http://127.0.0.1:8080' };
    expect(load({ flags: local }).warnings).toEqual([]);
  });

  it('warns about an issuer that has no effect', () => {
    const { warnings } = load({ flags: { ...oidc, 'api.auth.enabled': false } });
    expect(warnings[0]).toContain('have no effect without api.auth.enabled');
  });
});

describe('TLS', () => {
  const files = { 'api.tls.enabled': true, 'api.tls.cert_file': 'c', 'api.tls.key_file': 'k' };

  it('takes a certificate of files, or makes one', () => {
    expect(load({ flags: files }).config.api.tls).toEqual({
      files: { certFile: join(configFolder.folder, 'c'), keyFile: join(configFolder.folder, 'k') },
      clientAuth: 'none',
    });
    const auto = { 'api.tls.enabled': true, 'api.tls.auto_cert': true };
    expect(load({ flags: auto }).config.api.tls).toEqual({ clientAuth: 'none' });
  });

  it('asks for client certificates, which are credentials when they are verified', () => {
    const mutual = {
      ...files,
      'api.tls.client_auth': 'require_and_verify',
      'api.tls.client_ca_file': 'ca',
    };
    const { config, warnings } = load({ flags: mutual });
    expect(config.api.tls).toMatchObject({
      clientAuth: 'require_and_verify',
      clientCaFile: join(configFolder.folder, 'ca'),
    });
    expect([warnings, openApiWarning(config), isApiGuarded(config)]).toEqual([[], undefined, true]);
    const { config: open } = load({ flags: files });
    expect(openApiWarning(open)).toContain('asks for no credentials');
    expect(isApiGuarded(open)).toBe(false);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['nothing to serve with', { 'api.tls.enabled': true }, /^api\.tls\.enabled needs .*cert_file/],
    ['no key', { ...files, 'api.tls.key_file': undefined }, /cert_file needs api\.tls\.key_file/],
    ['no certificate', { ...files, 'api.tls.cert_file': undefined }, /key_file needs .*cert_file/],
    ['both', { ...files, 'api.tls.auto_cert': true }, /auto_cert and api\.tls\.cert_file exclude/],
    [
      'files without an effect',
      { ...files, 'api.tls.enabled': false },
      /cert_file needs .*enabled/,
    ],
    ['an unused auto_cert', { 'api.tls.auto_cert': true }, /auto_cert needs api\.tls\.enabled/],
    ['an unused client_auth', { 'api.tls.client_auth': 'require' }, /client_auth needs .*enabled/],
    [
      'no authority',
      { ...files, 'api.tls.client_auth': 'verify_if_given' },
      /^api\.tls\.client_auth verify_if_given needs api\.tls\.client_ca_file\.$/,
    ],
    [
      'an authority without an effect',
      { ...files, 'api.tls.client_ca_file': 'ca' },
      /client_ca_file has no effect while api\.tls\.client_auth is none/,
    ],
    ['another mode', { ...files, 'api.tls.client_auth': 'maybe' }, /takes none, request, require,/],
  ])('refuses %s', (_, flags, sentence) => {
    expect(() => load({ flags })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => load({ flags })).toThrow(sentence);
  });
});

it('takes origins as browsers write them', () => {
  const origins = (text: string) =>
    load({ environment: { SERVICE_API_CORS_ALLOWED_ORIGINS: text } }).config.api.allowedOrigins;
  expect(origins('https://a.example:8443, studio://app')).toEqual([
    'https://a.example:8443',
    'studio://app',
  ]);
  expect(origins('*')).toEqual(['*']);
  for (const wrong of ['https://a.example/', 'a.example', 'https://A.example', '**']) {
    expect(() => origins(wrong)).toThrow(/^api\.cors\.allowed_origins takes origins such as/);
  }
});

it('takes its own names that a Host header may have', () => {
  const hosts = (text: string) =>
    load({ environment: { SERVICE_API_ALLOWED_HOSTS: text } }).config.api.allowedHosts;
  expect(hosts('Agents.example.org, agents, my_service, 192.0.2.1, 2001:DB8::1')).toEqual([
    'agents.example.org',
    'agents',
    'my_service',
    '192.0.2.1',
    '2001:db8::1',
  ]);
  expect(hosts('')).toBeUndefined();
  const wrong = ['https://a.example', 'a.example:8090', '*', '*.a.example', '.a', 'a.', '[::1]'];
  for (const host of wrong) {
    expect(() => hosts(host)).toThrow(/^api\.allowed_hosts takes names such as/);
  }
});

describe('what the HTTP side asks of every request', () => {
  const rules = (flags: Record<string, unknown>, own?: { isStudioAuthDisabled: boolean }) =>
    accessRules(load({ flags }).config, own);
  const oidc = {
    'api.auth.enabled': true,
    'api.auth.oidc_issuer': 'https://id.example',
    'api.auth.oidc_audience': 'agents',
  };

  it('are the lists and the token as they are set', () => {
    const given = {
      'api.allowed_hosts': 'a.example',
      'api.cors.allowed_origins': 'https://b.example',
      'api.service_token': 'secret',
    };
    expect(rules({ ...given, 'api.listen_addr': '127.0.0.1:1' })).toEqual({
      listenHost: '127.0.0.1',
      asksForCredentials: true,
      allowedHosts: ['a.example'],
      allowedOrigins: ['https://b.example'],
      serviceToken: 'secret',
    });
    expect(rules({})).toEqual({ listenHost: '', asksForCredentials: false });
  });

  it('are no credentials in test mode, where any caller may be any principal', () => {
    const test = { 'api.auth.test_mode': true };
    expect(rules(oidc).asksForCredentials).toBe(true);
    expect(rules({}, { isStudioAuthDisabled: false }).asksForCredentials).toBe(true);
    expect(rules(test, { isStudioAuthDisabled: true }).asksForCredentials).toBe(true);
    expect(rules(test, { isStudioAuthDisabled: false }).asksForCredentials).toBe(false);
  });
});

it.each([
  [{ kind: 'test' as const }, undefined, true],
  [{ kind: 'test' as const }, { isStudioAuthDisabled: false }, true],
  [{ kind: 'test' as const }, { isStudioAuthDisabled: true }, false],
  [{ kind: 'oidc' as const, issuer: 'https://i.example', audience: 'a' }, undefined, false],
])(
  'callers with %j and an auth of the agents %j choose who they are: %s',
  (auth, own, expected) => {
    expect(mayChooseWho({ api: { auth } }, own)).toBe(expected);
  },
);
