import { afterEach, describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../../../test/fixtures/http-service.ts';
import { exchange, statusesIn } from '../../../test/fixtures/raw-http.ts';
import type { HostRules } from './host-check.ts';

const everywhere = { listenHost: '' };
const here = { listenHost: '127.0.0.1' };

let service: HttpService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

/** The status of a request with these header lines as its Host; a `POST`, as an attack would send. */
async function statusFor(rules: HostRules, ...hosts: string[]): Promise<number | undefined> {
  service ??= await startHttpService(rules);
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
  const head = `POST /threads HTTP/1.1\r\n${lines}Content-Length: 0\r\nConnection: close\r\n\r\n`;
  return statusesIn(await exchange(service.url, head))[0];
}

describe('on every interface, without authentication', () => {
  it.each([
    'evil.example',
    'evil.example:8090',
    '192.0.2.1.evil.example',
    'localhost.evil.example',
  ])('a page whose name was rebound does not get through: %s', async (host) =>
    expect(await statusFor(everywhere, host)).toBe(421),
  );

  it.each([
    ...['192.0.2.1', '192.0.2.1:8090', '[2001:db8::1]:8090', '127.0.0.1:8090', '[::1]'],
    ...['localhost', 'LOCALHOST:8090', 'app.localhost:8090'],
  ])('addresses and the names of loopback pass: %s', async (host) => {
    expect(await statusFor(everywhere, host)).toBe(201);
  });

  it.each([
    ...['agents.example.org', 'Agents.Example.org:8090', '192.0.2.1', 'localhost'],
    ...['agents.example.org.', 'agents.example.org.:8090'],
  ])('with its own names, these pass as well: %s', async (host) => {
    const rules = { ...everywhere, allowedHosts: ['agents.example.org'] };
    expect(await statusFor(rules, host)).toBe(201);
  });

  it.each(['sub.agents.example.org', 'agents.example.org.evil.example', 'agents.example.or'])(
    'but none that is merely like them: %s',
    async (host) => {
      const rules = { ...everywhere, allowedHosts: ['agents.example.org'] };
      expect(await statusFor(rules, host)).toBe(421);
    },
  );
});

describe('where callers are authenticated', () => {
  const asking = { ...everywhere, asksForCredentials: true };

  it('every name passes', async () => {
    expect(await statusFor(asking, 'any.example')).toBe(201);
  });

  it('unless names are listed', async () => {
    const rules = { ...asking, allowedHosts: ['agents.example.org'] };
    expect(await statusFor(rules, 'any.example')).toBe(421);
    expect(await statusFor(rules, 'agents.example.org')).toBe(201);
  });
});

describe('on loopback', () => {
  it.each([
    ...['localhost', 'localhost:1', 'localhost:', 'LocalHost:8090', 'app.localhost', '127.0.0.1'],
    ...['127.0.0.1:8090', '127.1.2.3:8090', '[::1]', '[::1]:9', '[::ffff:127.0.0.1]:9'],
    ...['localhost.', 'localhost.:8090', 'App.Localhost.', '127.0.0.1.:8090'],
  ])('the names and addresses of loopback pass: %s', async (host) => {
    expect(await statusFor(here, host)).toBe(201);
  });

  it.each([
    ...['evil.example', 'evil.example:8090', '192.0.2.1', '0.0.0.0:8090', '[2001:db8::1]:8090'],
    ...['localhost.evil.example', 'evil-localhost', 'localhost:80@evil.example', 'localhost..', ''],
    ...['.', 'evil.example.', 'evil.localhost.example.', '[::1].'],
    ...['127.0.0.1.evil.example', '127.0.0.1@evil.example', '2130706433', '0x7f.1', '127.1'],
    ...['[::1', '[::1].evil.example', 'localhost evil.example', 'localhost,evil.example'],
  ])('nothing else does, also where callers are authenticated: %s', async (host) => {
    expect(await statusFor({ ...here, asksForCredentials: true }, host)).toBe(421);
  });

  it('its own names pass, for a proxy on the same machine', async () => {
    const rules = { ...here, allowedHosts: ['agents.example.org', '2001:db8::1'] };
    expect(await statusFor(rules, 'agents.example.org')).toBe(201);
    expect(await statusFor(rules, '[2001:db8::1]:8090')).toBe(201);
    expect(await statusFor(rules, '[2001:db8::2]:8090')).toBe(421);
  });
});

it.each([
  ['the first of which would pass', 'localhost', 'evil.example'],
  ['the second of which would pass', 'evil.example', 'localhost'],
  ['that are the same', 'localhost', 'localhost'],
])('two Host headers %s are 400', async (_, ...hosts) => {
  expect(await statusFor(here, ...hosts)).toBe(400);
});

it('no Host header is 400', async () => {
  expect(await statusFor(everywhere)).toBe(400);
});

describe('probes', () => {
  /** The response to a probe; `version` 1.0 is what the oldest of them speak, and they need no Host. */
  async function probe(path: string, host: string, version = '1.1', method = 'GET') {
    service ??= await startHttpService(here);
    const head = `${method} ${path} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`;
    const text = await exchange(service.url, head);
    return [statusesIn(text)[0], text.slice(text.indexOf('\r\n\r\n') + 4)] as const;
  }

  it.each(['/health', '/ready', '/live'])(
    '%s passes under every name, and without one',
    async (path) => {
      expect((await probe(path, 'Host: agent-runtime:8090\r\n'))[0]).toBe(200);
      expect((await probe(path, 'Host: agent-runtime:8090\r\n', '1.1', 'HEAD'))[0]).toBe(200);
      expect((await probe(path, '', '1.0'))[0]).toBe(200);
      expect((await probe(path, 'Host: a\r\nHost: a\r\n'))[0]).toBe(400);
    },
  );

  it.each(['/health', '/ready'])(
    '%s shows a page whose name was rebound nothing but the status',
    async (path) => {
      const message = 'ModuleNotFoundError in /home/someone/agents/secret.py';
      const health = async () => ({ guest: { status: 'failing' as const, message } });
      service = await startHttpService({ ...here, health });
      const [status, body] = await probe(path, 'Host: evil.example\r\n');
      const bare = { status: 'failing', version: '0.0.0-test', components: {} };
      expect([status, JSON.parse(body)]).toEqual([503, bare]);
      const [, whole] = await probe(path, 'Host: localhost\r\n');
      expect(whole).toContain(message);
    },
  );

  it.each([
    ['another method', 'POST', '/health'],
    ['a path that is none', 'GET', '/health/../info'],
    ['another page without credentials', 'GET', '/info'],
  ])('%s is none', async (_, method, path) => {
    expect((await probe(path, 'Host: evil.example\r\n', '1.1', method))[0]).toBe(421);
  });
});
