import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';

let parent: string;
let folder: string;
let service: HttpService;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'studio-'));
  folder = join(parent, 'renderer');
  service = await startHttpService({
    studioFolder: folder,
    // Decisions, `/health`: pages ask for no credentials.
    authenticator: {
      authenticate() {
        throw new ServiceError('unauthenticated', 'Valid credentials are needed.');
      },
    },
  });
});
afterAll(async () => {
  await service.close();
  rmSync(parent, { recursive: true });
});
beforeEach(() => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(parent, 'secret.txt'), 'secret');
  writeFileSync(join(folder, '.hidden'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<title>Studio</title>');
  writeFileSync(join(folder, 'icon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets/index-4f2a.js'), 'start()');
});
afterEach(() => rmSync(folder, { recursive: true }));

const get = (path: string) => fetch(`${service.url}${path}`, { redirect: 'manual' });

it('serves the page under a policy that allows this origin alone', async () => {
  const page = await get('/studio/');
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    200,
    'text/html; charset=utf-8',
    '<title>Studio</title>',
  ]);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("worker-src 'self'");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
});

it('has the policy of the desktop’s window', async () => {
  const page = await get('/studio/');
  const desktop = readFileSync(
    new URL('../../../../electron/src/main/page-policy.ts', import.meta.url),
    'utf8',
  );
  const [, list = ''] = /return \[([^\]]*)\]/.exec(desktop) ?? [];
  const directives = [...list.matchAll(/["`]([^"`]*)["`],/g)].map(([, directive = '']) =>
    // There programs are those of one folder; a browser's policy has no path without a host.
    directive.replace('${own}', "'self'"),
  );
  expect(page.headers.get('content-security-policy')).toBe(directives.join('; '));
});

it('lets clients keep the files whose names change with their content, and no others', async () => {
  const cached = async (path: string) => (await get(path)).headers.get('cache-control');
  expect(await cached('/studio/assets/index-4f2a.js')).toBe('public, max-age=31536000, immutable');
  expect(await cached('/studio/icon.svg')).toBe('no-cache');
  expect(await cached('/studio/index.html')).toBe('no-cache');
});

it('leads from the path without a slash to the page', async () => {
  const response = await get('/studio');
  expect([response.status, response.headers.get('location')]).toEqual([308, 'studio/']);
});

it('serves no file outside of its folder, and none that is hidden', async () => {
  const paths = [
    '/studio/../secret.txt',
    '/studio/assets/../../secret.txt',
    '/studio/%2e%2e/secret.txt',
    '/studio/..%2fsecret.txt',
    '/studio/..%5csecret.txt',
    '/studio/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/studio//../secret.txt',
    '/studio/%00',
    '/studio/.hidden',
    '/studio/assets/',
    '/studio/assets',
  ];
  for (const path of paths) {
    const response = await rawGet(path);
    expect([path, response.slice(9, 12)]).toEqual([path, expect.stringMatching(/^40[034]$/)]);
    expect(response).not.toContain('\r\n\r\nsecret');
  }
});

it('takes GET and HEAD only', async () => {
  const posted = await fetch(`${service.url}/studio/`, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('shows how the page is built while there is none, and serves it once there is', async () => {
  rmSync(join(folder, 'index.html'));
  const missing = await get('/studio/');
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('npm run build:studio');
  writeFileSync(join(folder, 'index.html'), 'new');
  expect(await (await get('/studio/')).text()).toBe('new');
});

it('is no route where it is switched off', async () => {
  const other = await startHttpService();
  try {
    const response = await fetch(`${other.url}/studio/`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'route_not_found' }),
    ]);
  } finally {
    await other.close();
  }
});

/** The response to a path as it is written here: fetch would resolve its dots. */
async function rawGet(path: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}
