// What lasts longer than one start of the desktop, and what ends with it.
import { spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { electronWords } from '../fixtures/desktop.ts';
import {
  answerDialogs,
  openFolder,
  pidsOf,
  runEcho,
  untilRunIs,
  untilServed,
  visit,
} from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { remainingProcesses } from '../fixtures/processes.ts';
import { expect, test } from '../fixtures/shell-test.ts';

const application = path.resolve(import.meta.dirname, '../../electron');
/** One start in five may be over when it is looked at. */
const MOST_STARTS = 10;
const bounds = { x: 40, y: 60, width: 900, height: 640 };

// Separate desktops, one after the other over one profile.
test(
  'the next session has the settings, the window and the folder of the last one, unless that no longer exists or is not wanted',
  { tag: '@release' },
  async ({ launch, agents }) => {
    const first = await launch();
    await openFolder(first, agents);
    await first.ask('settings', 'write', { theme: 'dark', checkpointHistory: 7 });
    await first.app.evaluate(({ BrowserWindow }, position) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(position);
    }, bounds);
    await first.quit();

    const second = await launch();
    await untilServed(second.page);
    expect((await second.ask('service', 'view')).value).toMatchObject({ folder: agents });
    const kept = { theme: 'dark', checkpointHistory: 7 };
    expect((await second.ask('settings', 'read')).value).toMatchObject(kept);
    const restored = await second.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getBounds(),
    );
    expect(restored).toEqual(bounds);
    await second.ask('settings', 'write', { reopenLastFolder: false });
    await second.quit();

    const third = await launch();
    const recent = third.page.getByRole('button', { name: new RegExp(agents) });
    await expect(third.page).toHaveURL(/#\/welcome$/);
    expect((await third.ask('service', 'view')).value).toMatchObject({ state: 'stopped' });
    await expect(recent).toBeEnabled();
    await third.ask('settings', 'write', { reopenLastFolder: true });
    await third.quit();

    renameSync(agents, `${agents}-elsewhere`);
    const { page, ask } = await launch();
    await expect(page).toHaveURL(/#\/welcome$/);
    await expect(page.getByRole('status').filter({ hasText: 'no longer exists' })).toContainText(
      agents,
    );
    await expect(page.getByRole('button', { name: new RegExp(agents) })).toBeDisabled();
    expect((await ask('folders', 'forget', agents)).value).toEqual([]);
  },
);

// Separate desktops: the first quits.
test(
  'what could still be undone is done before the page is reloaded, and before the application quits',
  { tag: '@release' },
  async ({ launch, agents }) => {
    const first = await launch();
    await openFolder(first, agents);
    const { page } = first;
    const statusOf = async (at: Page, thread: string): Promise<number> =>
      (await request(at, `/threads/${thread}`)).status;
    for (const thread of ['reloaded', 'quit']) {
      await request(page, '/threads', { method: 'POST', body: { thread_id: thread } });
      await visit(page, `/threads/${thread}`);
      await page.getByRole('button', { name: 'More actions for this thread' }).click();
      await page.getByRole('menuitem', { name: 'Delete thread' }).click();
      await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
      expect(await statusOf(page, thread)).toBe(200);
      if (thread === 'reloaded') {
        await page.reload();
        await expect.poll(() => statusOf(page, thread)).toBe(404);
      }
    }
    await first.quit();

    const second = await launch();
    await untilServed(second.page);
    expect(await statusOf(second.page, 'quit')).toBe(404);
  },
);

// A separate desktop: its page crashes.
test('a page that has crashed is reloaded on request', { tag: '@release' }, async ({ launch }) => {
  const desktop = await launch();
  await answerDialogs(desktop, { confirm: true });
  const reloaded = desktop.app.evaluate(
    ({ BrowserWindow }) =>
      new Promise<boolean>((resolve) => {
        const [window] = BrowserWindow.getAllWindows();
        window?.webContents.once('did-finish-load', () => resolve(!window.webContents.isCrashed()));
        window?.webContents.forcefullyCrashRenderer();
      }),
  );
  expect(await reloaded).toBe(true);
});

test('is one instance: a second one hands over its folder and ends', async ({
  desktop,
  agents,
}) => {
  const words = [...electronWords(desktop.profile), application, agents];
  const second = spawn(process.env['E2E_ELECTRON'] ?? '', words, { stdio: 'ignore' });
  const code = await new Promise((resolve) => second.once('exit', resolve));
  expect(code).toBe(0);
  await expect
    .poll(async () => (await desktop.ask('service', 'view')).value, { timeout: 60_000 })
    .toMatchObject({ state: 'ready', folder: agents });
});

// Separate desktops: they are killed.
test('leaves no process behind when it is killed, while a run is on and while it starts', async ({
  launch,
  agents,
  gate,
}) => {
  const working = await launch();
  await openFolder(working, agents);
  await runEcho(working.page, { text: 'one', gate: gate.file });
  await untilRunIs(working.page, 'running');
  expect(pidsOf(working, 'guest').length).toBeGreaterThan(0);
  expect(pidsOf(working, 'engine')).toHaveLength(1);
  expect(pidsOf(working, 'service')).toHaveLength(1);
  working.app.process().kill('SIGKILL');
  expect(await remainingProcesses(working.mark, 30_000)).toEqual([]);

  // It opens the folder of the last session by itself. A start that was over before the kill shows nothing: again.
  let state = 'not started';
  for (let round = 0; round < MOST_STARTS && state !== 'starting'; round += 1) {
    const starting = await launch();
    await expect.poll(() => pidsOf(starting, 'engine'), { intervals: [20] }).toHaveLength(1);
    ({ state } = (await starting.ask('service', 'view')).value);
    starting.app.process().kill('SIGKILL');
    expect(await remainingProcesses(starting.mark, 30_000)).toEqual([]);
  }
  expect(state).toBe('starting');
});
