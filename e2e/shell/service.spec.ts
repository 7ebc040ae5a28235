import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { answerDialogs, connectTo, pidsOf, untilServed, visit } from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { expect, test } from '../fixtures/shell-test.ts';

test('stops, and starts the same folder again with its threads', async ({ served, shared }) => {
  const { folder } = shared.agents;
  const { ask, page } = served;
  const created = await request(page, '/threads', { method: 'POST', body: {} });
  expect(created.status).toBeLessThan(300);
  expect(pidsOf(served, 'engine')).toHaveLength(1);
  await visit(page, '/debug');
  const debugging = page.getByRole('region', { name: 'State of the debugger' });
  await expect(debugging).toContainText('Off');

  expect((await ask('service', 'stop')).value).toEqual({
    state: 'stopped',
    folder,
    steps: [],
    warnings: [],
  });
  expect(pidsOf(served, 'engine')).toEqual([]);
  expect(await request(page, '/agents')).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable', message: 'The service is stopped.' },
  });
  await expect(debugging).toContainText('No service runs');

  expect((await ask('service', 'restart')).value).toMatchObject({ state: 'ready', folder });
  const found = await request(page, `/threads/${created.body.thread_id}`);
  expect(found).toMatchObject({ status: 200, body: { thread_id: created.body.thread_id } });
});

test('continues when the engine dies', async ({ served }) => {
  const { page } = served;
  const before = pidsOf(served, 'engine');
  expect(before).toHaveLength(1);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  // In this order: the service may not have noticed yet.
  await expect
    .poll(() => pidsOf(served, 'engine').filter((pid) => !before.includes(pid)), {
      timeout: 60_000,
    })
    .toHaveLength(1);
  await expect
    .poll(async () => (await request(page, '/health')).body.components?.engine?.status, {
      timeout: 60_000,
    })
    .toBe('ok');
  const body = { agent_id: 'echo', input: { text: 'again' } };
  const response = await request(page, '/runs/wait', { method: 'POST', body });
  expect(response).toMatchObject({ status: 200, body: { output: { text: 'again!?' } } });
});

test('reports why a remote service cannot be used, and keeps what it had', async ({ served }) => {
  const { ask } = served;
  const before = await ask('service', 'view');
  expect(before.value).toMatchObject({ state: 'ready' });
  expect(await connectTo(served, { url: 'http://127.0.0.1:1' })).toEqual({
    ok: false,
    error: {
      code: 'not_possible',
      message:
        'No Agent Runtime service at http://127.0.0.1:1: The service does not respond: connection refused.',
    },
  });
  expect(await ask('service', 'view')).toEqual(before);
});

// The last one here: it leads the shared desktop to another folder, and leading it back is a start more.
test(
  'a start that fails shows at which step, why, and what helps, and is repaired from there',
  { tag: '@release' },
  async ({ desktop, agents }) => {
    const { ask, page } = desktop;
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo; // a TCP listener always has one
    try {
      await ask('service', 'stop');
      await page.evaluate(() => (location.hash = '/welcome'));
      writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"echo": "./missing.py"}}');
      await answerDialogs(desktop, { open: agents });
      await page.getByRole('button', { name: 'Open folder' }).click();
      await expect(page.getByRole('heading', { name: `Not started: ${agents}` })).toBeVisible();
      const alert = page.getByRole('alert');
      await expect(alert).toHaveCount(1);
      await expect(alert).toContainText('agent.json');
      const { value: failed } = await ask('service', 'view');
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
        ...['done', 'done', 'done', 'failed', 'waiting', 'waiting', 'waiting'],
      ]);
      expect((await request(page, '/agents')).body.message).toContain('The service has failed');

      // Mended, and the next thing is wrong.
      writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"echo": "./echo.py:graph"}}');
      expect(await ask('settings', 'write', { port })).toMatchObject({ ok: true, value: { port } });
      await alert.getByRole('button', { name: 'Restart' }).click();
      await expect(alert).toContainText(`${port}`, { timeout: 120_000 });
      expect((await ask('service', 'view')).value).toMatchObject({
        state: 'failed',
        failure: {
          step: 'api',
          code: 'config_invalid',
          message: expect.stringContaining(`${port}`),
        },
      });
      await ask('settings', 'write', { port: 0 });
      await alert.getByRole('button', { name: 'Restart' }).click();
      await untilServed(page);
      expect((await request(page, '/agents')).status).toBe(200);
    } finally {
      other.close();
    }
  },
);
