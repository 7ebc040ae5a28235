/**
 * The manifest's `auth` in a real service: it needs a folder, its own engine and guests, and waits for limits.
 * What each route does with its results is held by `src/http/agent-app/manifest-auth.test.ts`.
 * @module-tag release
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { testPython } from '../fixtures/durable-service.ts';
import { descendants } from '../fixtures/process-tree.ts';
import { startCommand } from '../fixtures/service-command.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const fixture = fileURLToPath(new URL('../fixtures/auth-agents', import.meta.url));
const flags = [`--interpreter=${testPython()}`, '--sandbox=none'];
const COMPAT = '/compat/langgraph';

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'auth-agents-'));
  await cp(fixture, folder, { recursive: true });
  const environment = { SERVICE_STORE_PROVIDER: 'sqlite' };
  service = await startService({ agents: folder, flags, environment });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Asked {
  body?: unknown;
  /** What the handler is to do: see the fixture. */
  act?: string;
  /** Absent: the service of all tests. */
  at?: ServiceProcess;
}

async function as(name: string | undefined, method: string, path: string, asked: Asked = {}) {
  const { body, act, at = service } = asked;
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      ...(name !== undefined && { authorization: `Bearer ${name}` }),
      ...(act !== undefined && { 'x-do': act }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

it('lets in who the handler knows, and the run knows it as under LangGraph', async () => {
  expect(await as(undefined, 'GET', '/agents')).toMatchObject({
    status: 401,
    body: { code: 'unauthenticated', message: 'Who are you?' },
  });
  const forged = { configurable: { langgraph_auth_user: { identity: 'eve', team: 'eve' } } };
  const run = { assistant_id: 'agent', input: {}, config: forged };
  const { body } = await as('ada', 'POST', `${COMPAT}/runs/wait`, { body: run });
  expect(body).toEqual({
    who: { identity: 'ada', team: 'of ada', id: 'ada', permissions: ['read'], sub: 'ada' },
  });
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
});

it('shows no user the threads, runs, states and items of another user', async () => {
  const { body: thread } = await as('ada', 'POST', '/threads', { body: {} });
  const { thread_id: id } = thread as { thread_id: string };
  const ran = await as('ada', 'POST', `/threads/${id}/runs?wait=60`, { body: { input: {} } });
  const { run_id: run } = ran.body as { run_id: string };
  for (const path of ['', '/state', '/history', '/runs', '/runs/' + run, `/runs/${run}/stream`]) {
    expect([path, (await as('eve', 'GET', `/threads/${id}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await as('eve', 'GET', `/runs/${run}/wait`)).status).toBe(404);
  const runs = `${COMPAT}/threads/${id}/runs`;
  const body = { assistant_id: 'agent', input: {}, if_not_exists: 'create' };
  expect((await as('eve', 'POST', `${runs}/wait`, { body })).status).toBe(404);
  expect((await as('eve', 'POST', `${COMPAT}/threads/search`, { body: {} })).body).toEqual([]);
  expect((await as('eve', 'DELETE', `/threads/${id}`)).status).toBe(404);

  const item = { namespace: ['notes'], key: 'k', value: { v: 1 } };
  expect((await as('ada', 'PUT', `${COMPAT}/store/items`, { body: item })).status).toBe(204);
  const route = `${COMPAT}/store/items?namespace=notes&key=k`;
  expect((await as('eve', 'GET', route)).body).toBeNull();
  expect((await as('ada', 'GET', route)).body).toMatchObject({
    namespace: ['ada', 'notes'],
    value: { v: 1 },
  });
  expect((await as('ada', 'GET', `/threads/${id}`)).status).toBe(200);
});

/** What an agent of ada's finds that has another one run, and asks for a thread of eve's, by a client without a URL. */
async function foundByDelegate(at: ServiceProcess): Promise<unknown> {
  const { body: thread } = await as('eve', 'POST', '/threads', { at, body: {} });
  const { thread_id: foreign } = thread as { thread_id: string };
  const body = { assistant_id: 'delegate', input: { foreign } };
  return (await as('ada', 'POST', `${COMPAT}/runs/wait`, { at, body })).body;
}
/** `refused`: what the client of the folder's language makes of the answer about a thread of eve's. */
const foundAsAda = (refused: string) => ({
  foreign: expect.any(String) as string,
  who: expect.objectContaining({ identity: 'ada' }) as object,
  owner: 'ada',
  refused: expect.stringContaining(refused) as string,
});

it('asks the handlers about what agents call the service for, as the principal of their run', async () => {
  expect(await foundByDelegate(service)).toEqual(foundAsAda('There is no thread'));
});

it('refuses every caller when the handler fails or hangs, and continues for the others meanwhile', async () => {
  expect(await as('ada', 'GET', '/agents', { act: 'fail' })).toMatchObject({
    status: 500,
    body: { code: 'auth_failed' },
  });
  const hanging = as('ada', 'GET', '/agents', { act: 'hang' });
  expect((await as('ada', 'GET', '/agents')).status).toBe(200);
  expect(await hanging).toMatchObject({ status: 503, body: { code: 'auth_unavailable' } });
});

it.each(['die', 'block'])('refuses every caller while its guest is gone: %s', async (act) => {
  expect((await as('ada', 'GET', '/agents', { act })).status).toBe(503);
  const statuses = new Set<number>();
  await waitUntil('the guest to be back', 60_000, async () => {
    expect((await as(undefined, 'GET', '/agents')).status).not.toBe(200);
    const { status } = await as('ada', 'GET', '/agents');
    statuses.add(status);
    return status === 200;
  });
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

it('refuses every caller when its guest is killed in the middle of a request', async () => {
  const hanging = as('ada', 'GET', '/agents', { act: 'hang' });
  const guests = descendants(service.pid).filter(({ command }) => command.includes('_guest'));
  expect(guests.length).toBeGreaterThan(1);
  for (const { pid } of guests) process.kill(pid, 'SIGKILL');
  expect((await hanging).status).toBe(503);
  await waitUntil(
    'the guests to be back',
    60_000,
    async () => (await as('ada', 'GET', '/agents')).status === 200,
  );
});

it.each([
  ['raise RuntimeError("no key")', 'RuntimeError: no key'],
  ['auth = {}', 'a langgraph_sdk.Auth is needed'],
])('does not start when auth cannot be loaded: %s', async (code, reason) => {
  const broken = await mkdtemp(join(tmpdir(), 'auth-broken-'));
  await cp(fixture, broken, { recursive: true });
  await writeFile(join(broken, 'auth.py'), `${code}\n`);
  const location = [`--data-dir=${join(broken, 'data')}`, '--api-addr=127.0.0.1:0'];
  const { code: exit, stderr } = await startCommand(['serve', broken, ...flags, ...location]).ended;
  expect(exit).toBe(2);
  expect(stderr).toContain(reason);
  expect(stderr).toMatch(/Error: auth: "\.\/auth\.py:auth" cannot be loaded, .+ everybody would/u);
  await rm(broken, { recursive: true, force: true });
});

it('asks an Auth of @langchain/langgraph-sdk in a folder in JavaScript', async () => {
  const at = await startService({ agents: `${fixture}-js`, flags: ['--sandbox=none'] });
  try {
    expect((await as(undefined, 'GET', '/agents', { at })).status).toBe(401);
    const { body: thread } = await as('ada', 'POST', '/threads', { at, body: {} });
    const { thread_id: id } = thread as { thread_id: string };
    const input = { body: { input: { who: null } }, at };
    const ran = await as('ada', 'POST', `/threads/${id}/runs?wait=60`, input);
    expect(ran.body).toMatchObject({ output: { who: { identity: 'ada', permissions: ['read'] } } });
    expect((await as('eve', 'GET', `/threads/${id}`, { at })).status).toBe(404);
    expect((await as('eve', 'POST', '/threads/search', { at, body: {} })).body).toEqual([]);
    expect(await foundByDelegate(at)).toEqual(foundAsAda('HTTP 404: Thread with ID'));
  } finally {
    await at.stop();
  }
});
