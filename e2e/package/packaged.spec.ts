import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { endDesktop, expect, test, type BridgeReply } from '../fixtures/desktop.ts';
import { request } from '../fixtures/page-requests.ts';
import { packDesktop, startPackaged } from '../fixtures/packaged.ts';
import { processesWith, whatIsLeft } from '../fixtures/processes.ts';

test.describe.configure({ mode: 'serial' });
test.skip(process.platform !== 'linux', 'only what is packed on Linux is started here');

let program = '';
// Packed once, around the Electron of the tests.
test.beforeAll(() => {
  test.setTimeout(600_000);
  const electron = process.env['E2E_ELECTRON'];
  test.skip(electron === undefined, process.env['E2E_NO_DESKTOP']);
  program = packDesktop(electron ?? '');
});

function view(page: Page): Promise<BridgeReply> {
  return page.evaluate(() => {
    const { desktop } = window as unknown as {
      desktop: { service: { view(): Promise<BridgeReply> } };
    };
    return desktop.service.view();
  });
}

async function untilReady(page: Page): Promise<void> {
  await expect.poll(async () => (await view(page)).value?.state, { timeout: 60_000 }).toBe('ready');
}

test('carries the files of its own platform and no other', () => {
  const resources = path.join(path.dirname(program), 'resources');
  const modules = path.join(resources, 'server/node_modules');
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  expect(readdirSync(path.join(modules, '@temporalio/core-bridge/releases'))).toEqual([
    `${machine}-unknown-linux-gnu`,
  ]);
  expect(readdirSync(path.join(modules, 'better-sqlite3/prebuilds'))).toEqual([
    `linux-${process.arch}.node`,
  ]);
  expect(readdirSync(path.join(resources, 'engine'))).toEqual([`linux-${process.arch}`]);
  expect(existsSync(path.join(resources, 'app.asar'))).toBe(true);
});

test('starts, serves, and leaves no process behind when it is quit', async ({
  profile,
  agents,
}) => {
  const desktop = await startPackaged(program, { profile, folder: agents });
  try {
    await untilReady(desktop.page);
    const run = { agent_id: 'echo', input: { text: 'packed' } };
    expect(await request(desktop.page, '/runs/wait', { method: 'POST', body: run })).toMatchObject({
      status: 200,
      body: { output: { text: 'packed!?' } },
    });
    desktop.child.kill('SIGTERM');
    expect(await desktop.ended).toBe(0);
    expect(await whatIsLeft(desktop.mark, 10_000)).toEqual([]);
  } finally {
    await endDesktop(desktop);
  }
});

test('leaves no process behind when it is killed', async ({ profile, agents }) => {
  const desktop = await startPackaged(program, { profile, folder: agents });
  try {
    await untilReady(desktop.page);
    const commands = processesWith(desktop.mark).map(({ command }) => command);
    expect(commands.filter((command) => /engine.*start-dev/.test(command))).toHaveLength(1);
    desktop.child.kill('SIGKILL');
    expect(await whatIsLeft(desktop.mark, 30_000)).toEqual([]);
  } finally {
    await endDesktop(desktop);
  }
});
