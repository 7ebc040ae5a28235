import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpService } from '../../../test/fixtures/http-service.ts';
import { startHttpService } from '../../../test/fixtures/http-service.ts';
import { ServiceError } from '../../errors/service-error.ts';

let service: HttpService;
beforeAll(async () => {
  // Decisions, `/health`: the docs pages ask for no credentials.
  service = await startHttpService({
    authenticator: {
      authenticate() {
        throw new ServiceError('unauthenticated', 'Valid credentials are needed.');
      },
    },
  });
});
afterAll(() => service.close());

it('serves a page and every file that it names, each with a policy that forbids foreign hosts', async () => {
  const page = await fetch(`${service.url}/swagger-ui/`);
  const html = await page.text();
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name);
  expect(named).toEqual(expect.arrayContaining(['swagger-ui-bundle.js', 'swagger-ui.css']));
  for (const name of named) {
    const file = await fetch(new URL(name, page.url));
    expect([name, file.status, file.headers.get('x-content-type-options')]).toEqual([
      name,
      200,
      'nosniff',
    ]);
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
});

it('reads the document of this service', async () => {
  const start = await (await fetch(`${service.url}/swagger-ui/start.js`)).text();
  const [, url = ''] = /url: '([^']+)'/.exec(start) ?? [];
  const document = await fetch(new URL(url, `${service.url}/swagger-ui/`));
  expect(await document.json()).toMatchObject({ openapi: '3.1.0' });
});

it('leads from the path without a slash to the page', async () => {
  const response = await fetch(`${service.url}/swagger-ui`);
  expect([response.status, response.url]).toEqual([200, `${service.url}/swagger-ui/`]);
});

it('serves no other file of the package, and takes no other method', async () => {
  for (const path of ['package.json', 'index.html', 'swagger-initializer.js', '../package.json']) {
    const response = await fetch(`${service.url}/swagger-ui/${path}`);
    expect([path, response.status]).toEqual([path, 404]);
  }
  const posted = await fetch(`${service.url}/swagger-ui/`, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
