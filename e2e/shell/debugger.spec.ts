import { existsSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { attachToPython, localsOf, readLaunchEntry } from '../fixtures/debug-client.ts';
import { attachToInspector } from '../fixtures/inspector-client.ts';
import { serveFolder, visit } from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { expect, test } from '../fixtures/shell-test.ts';

/** The first start may have to fetch the debugger. */
const startLimit = 120_000;

test(
  'stops an agent at a breakpoint, by the entry in launch.json, and lets it continue',
  { tag: '@release' },
  async ({ served, shared }) => {
    const { page } = served;
    const { folder } = shared.agents;
    const state = page.getByRole('region', { name: 'State of the debugger' });

    await visit(page, '/debug?agent=echo');
    await expect(state).toContainText('Off');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(state).toContainText('Waiting for a debugger', { timeout: startLimit });
    await page.getByRole('button', { name: 'Add to .vscode/launch.json' }).click();
    await expect(page.getByText('Added to')).toBeVisible();

    const file = path.join(folder, 'echo.py');
    const line = readFileSync(file, 'utf8').split('\n').indexOf('def say(state: State):') + 2;
    const { client, leave } = await attachToPython(readLaunchEntry(folder), { file, line });
    try {
      await expect(state).toContainText('Attached');
      await expect(page.getByRole('link', { name: 'debugging Python · attached' })).toBeVisible();

      const stopped = client.waitForEvent('stopped');
      await visit(page, '/runs?compose=1');
      const composer = page.getByRole('dialog', { name: 'New run' });
      await composer.getByRole('tab', { name: 'JSON' }).click();
      await composer.getByRole('textbox', { name: 'Input as JSON' }).fill('{"text": "hi"}');
      await composer.getByRole('button', { name: 'Run', exact: true }).click();
      const { threadId = 0 } = (await stopped).body as DebugProtocol.StoppedEvent['body']; // by its name
      expect(await localsOf(client, threadId)).toMatchObject({ state: "{'text': 'hi'}" });
      const run = page.getByRole('article', { name: /^Run / });
      await expect(run).toContainText('running');
      await client.continueRequest({ threadId });
      await expect(run).toContainText('completed');

      await leave();
      await visit(page, '/debug');
      await expect(state).toContainText('Waiting for a debugger');
    } finally {
      await leave();
    }
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(state).toContainText('Off');
    await expect(page.getByRole('link', { name: /^debugging/ })).toHaveCount(0);
    const after = await request(page, '/runs/wait', {
      method: 'POST',
      body: { agent_id: 'echo', input: { text: 'again' } },
    });
    expect(after.status).toBe(200);
  },
);

test('stops an agent in TypeScript at a breakpoint', { tag: '@release' }, async ({ desktop }) => {
  const examples = path.resolve(import.meta.dirname, '../../examples');
  const { ask, page } = desktop;
  await serveFolder(desktop, examples);
  await visit(page, '/debug?agent=triage');
  const state = page.getByRole('region', { name: 'State of the debugger' });
  await expect(page.getByRole('radio', { name: 'inspector' })).toBeChecked();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(state).toContainText('Waiting for a debugger', { timeout: startLimit });

  const { port } = (await ask('debugging', 'view')).value;
  const text = readFileSync(path.join(examples, 'triage.ts'), 'utf8');
  const line = text.split('\n').findIndex((one) => one.includes('const category ='));
  const inspector = await attachToInspector(port, { file: /triage\.ts/, line });
  try {
    await expect(state).toContainText('Attached');
    const response = request(page, '/runs/wait', {
      method: 'POST',
      body: { agent_id: 'triage', input: { ticket: 'I was charged twice' } },
    });
    const locals = await inspector.locals();
    expect(locals['ticket']).toBe('I was charged twice');
    await inspector.resume();
    expect((await response).status).toBe(200);
  } finally {
    await inspector.leave();
  }
  await expect(state).toContainText('Waiting for a debugger');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(state).toContainText('Off');
});

test('reports that the port is taken; what it wrote into launch.json can be taken back', async ({
  served,
  shared,
}) => {
  const { ask, page } = served;
  const { folder } = shared.agents;
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo; // a TCP listener always has one
  try {
    await visit(page, '/debug');
    const state = page.getByRole('region', { name: 'State of the debugger' });
    await page.getByRole('textbox', { name: 'Port' }).fill(String(port));
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(state).toContainText(`The debug port ${port} is taken`);
    await expect(state).toContainText('leave it empty for a free one');
    const entry = {
      name: 'Agent Runtime: attach to Python',
      type: 'debugpy',
      request: 'attach',
      connect: { host: '127.0.0.1', port },
      pathMappings: [],
      justMyCode: false,
    };
    expect((await ask('debugging', 'addLaunchConfiguration', entry)).ok).toBe(true);
    expect(existsSync(path.join(folder, '.vscode/launch.json'))).toBe(true);
    expect((await ask('debugging', 'undoLaunchConfiguration')).ok).toBe(true);
    expect(existsSync(path.join(folder, '.vscode'))).toBe(false);
  } finally {
    other.close();
  }
});
