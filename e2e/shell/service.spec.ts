import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type Desktop } from '../fixtures/desktop.ts';
import { request } from '../fixtures/page-requests.ts';
import { processesWith } from '../fixtures/processes.ts';

async function pidOf(desktop: Desktop, pattern: RegExp): Promise<number> {
  let found: number | undefined;
  await expect
    .poll(() => {
      found = processesWith(desktop.mark).find(({ command }) => pattern.test(command))?.pid;
      return found;
    })
    .toBeDefined();
  return found ?? 0;
}

const engine = /engine.* start-dev/;
const service = /utility-sub-type=node\.mojom\.NodeService/;

test('says which step of a start failed and what to do, and starts once that is mended', async ({
  launch,
  agents,
}) => {
  const { ask, page } = await launch();
  writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"echo": "./missing.py"}}');
  const { value: failed } = await ask('service', 'start', agents);
  expect(failed).toMatchObject({
    state: 'failed',
    folder: agents,
    failure: {
      step: 'agents',
      code: 'manifest_invalid',
      message: expect.stringContaining('agent.json'),
      help: expect.stringContaining('graphs'),
      actions: ['restart', 'choose_folder'],
    },
  });
  expect(failed.steps.map(({ state }: { state: string }) => state)).toEqual([
    ...['done', 'done', 'failed', 'waiting', 'waiting', 'waiting'],
  ]);
  expect((await request(page, '/agents')).body.message).toContain('The service has failed');

  writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"echo": "./echo.py:graph"}}');
  expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready' });
  expect((await request(page, '/agents')).status).toBe(200);
});

test('says that the port is taken, and that any free one will do', async ({ launch, agents }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo; // a TCP listener always has one
  try {
    const { ask } = await launch();
    expect(await ask('settings', 'write', { port })).toMatchObject({ ok: true, value: { port } });
    expect((await ask('service', 'start', agents)).value).toMatchObject({
      state: 'failed',
      failure: { step: 'api', code: 'config_invalid', message: expect.stringContaining(`${port}`) },
    });
    await ask('settings', 'write', { port: 0 });
    expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready' });
  } finally {
    other.close();
  }
});

test('stops, and starts the same folder again with its threads', async ({ launch, agents }) => {
  const desktop = await launch();
  const { ask, page } = desktop;
  await ask('service', 'start', agents);
  const created = await request(page, '/threads', { method: 'POST', body: {} });
  expect(created.status).toBeLessThan(300);

  expect((await ask('service', 'stop')).value).toEqual({
    state: 'stopped',
    folder: agents,
    steps: [],
    warnings: [],
  });
  expect(processesWith(desktop.mark).filter(({ command }) => engine.test(command))).toEqual([]);
  expect(await request(page, '/agents')).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable', message: 'The service is stopped.' },
  });

  expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready', folder: agents });
  const found = await request(page, `/threads/${created.body.thread_id}`);
  expect(found).toMatchObject({ status: 200, body: { thread_id: created.body.thread_id } });
});

test('survives the end of its service, says so, and starts it again', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  const { ask, page } = desktop;
  await ask('service', 'start', agents);
  process.kill(await pidOf(desktop, service), 'SIGKILL');
  await expect.poll(async () => (await ask('service', 'view')).value.state).toBe('failed');
  expect((await ask('service', 'view')).value.failure).toMatchObject({
    code: 'service_ended',
    actions: ['restart', 'logs'],
  });
  expect((await request(page, '/agents')).status).toBe(503);
  // Its engine and guests ended with it.
  await expect
    .poll(() => processesWith(desktop.mark).filter(({ command }) => engine.test(command)))
    .toEqual([]);
  expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready' });
  expect((await request(page, '/agents')).status).toBe(200);
});

test('goes on when the engine dies', async ({ launch, agents }) => {
  const desktop = await launch();
  const { ask, page } = desktop;
  await ask('service', 'start', agents);
  const before = await pidOf(desktop, engine);
  process.kill(before, 'SIGKILL');
  // In this order: the service may not have noticed yet.
  await expect.poll(() => pidOf(desktop, engine), { timeout: 60_000 }).not.toBe(before);
  await expect
    .poll(async () => (await request(page, '/health')).body.components?.engine?.status, {
      timeout: 60_000,
    })
    .toBe('ok');
  const body = { agent_id: 'echo', input: { text: 'again' } };
  const answer = await request(page, '/runs/wait', { method: 'POST', body });
  expect(answer).toMatchObject({ status: 200, body: { output: { text: 'again!?' } } });
});
