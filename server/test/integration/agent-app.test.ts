/**
 * The manifest's `http.app` in a real service: it needs a folder, its own engine and guests, and kills them.
 * Which requests reach it, and what of them, is held by `src/http/agent-app/agent-app.test.ts`.
 * @module-tag release
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { testPython } from '../fixtures/durable-service.ts';
import { startCommand } from '../fixtures/service-command.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

/** The second folder is the first one with an app. */
const fixtures = ['auth-agents', 'webapp-agents'].map((name) =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)),
);
const flags = [`--interpreter=${testPython()}`, '--sandbox=none'];
const headers = { authorization: 'Bearer ada' };

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webapp-agents-'));
  for (const fixture of fixtures) await cp(fixture, folder, { recursive: true });
  service = await startService({ agents: folder, flags });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function isBack(): Promise<boolean> {
  return (await fetch(`${service.url}/who`, { headers })).status === 200;
}

it('serves the folder’s own routes to whom its auth lets in', async () => {
  expect((await fetch(`${service.url}/who`)).status).toBe(401);
  const response = await fetch(`${service.url}/who`, { headers });
  expect(await response.text()).toBe("ada ['up']");
  const failed = await fetch(`${service.url}/nowhere`, { headers });
  expect([failed.status, await failed.json()]).toEqual([
    500,
    expect.objectContaining({ code: 'agent_error', message: "The agents' http.app failed." }),
  ]);
  const info = (await (await fetch(`${service.url}/info`, { headers })).json()) as object;
  expect(info).toMatchObject({ flags: { auth: 'manifest' } });
});

it('has its agents run for who calls it, by a client without a URL', async () => {
  const response = await fetch(`${service.url}/delegate`, { headers });
  expect(await response.text()).toBe('ada ada');
});

it('streams both ways, part by part', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(Buffer.from('one'));
  const asked = { method: 'POST', headers, body: readable, duplex: 'half' } as const;
  const response = await fetch(`${service.url}/echo`, asked);
  const reader = response.body?.getReader();
  for (const part of ['one', 'two']) {
    if (part === 'two') void writer.write(Buffer.from(part));
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(part);
  }
  await writer.close();
  expect((await reader?.read())?.done).toBe(true);
});

it('reports that the app is gone, or cuts the response off, and serves it again', async () => {
  const died = await fetch(`${service.url}/die`, { headers });
  expect([died.status, await died.json()]).toEqual([
    502,
    expect.objectContaining({ code: 'agent_error' }),
  ]);
  await waitUntil('the app to be back', 60_000, isBack);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer.write(Buffer.from('one')).catch(() => undefined);
  const asked = { method: 'POST', headers, body: readable, duplex: 'half' } as const;
  const late = await fetch(`${service.url}/die/late`, asked);
  expect(late.status).toBe(200);
  await Promise.all([
    expect(late.text()).rejects.toThrow('terminated'),
    writer.write(Buffer.from('two')).catch(() => undefined),
  ]);
  await waitUntil('the app to be back', 60_000, isBack);
});

it('does not start when the app cannot be loaded', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'webapp-broken-'));
  for (const fixture of fixtures) await cp(fixture, broken, { recursive: true });
  await writeFile(join(broken, 'webapp.py'), 'raise RuntimeError("no key")\n');
  const location = [`--data-dir=${join(broken, 'data')}`, '--api-addr=127.0.0.1:0'];
  const { code, stderr } = await startCommand(['serve', broken, ...flags, ...location]).ended;
  expect(code).toBe(2);
  expect(stderr).toContain(
    'http.app: "./webapp.py:app" cannot be loaded and started: RuntimeError: no key',
  );
  await rm(broken, { recursive: true, force: true });
});
