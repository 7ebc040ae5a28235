import { spawn } from 'node:child_process';
import path from 'node:path';
import { electronWords, expect, test } from '../fixtures/desktop.ts';
import { processesWith, whatIsLeft } from '../fixtures/processes.ts';

const application = path.resolve(import.meta.dirname, '../../electron');

test('remembers settings, folders and the window', async ({ launch, agents }) => {
  const first = await launch();
  await first.ask('settings', 'write', { theme: 'dark', checkpointHistory: 7 });
  await first.ask('service', 'start', agents);
  await first.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 60, width: 900, height: 640 });
  });
  await first.quit();

  const second = await launch();
  expect((await second.ask('settings', 'read')).value).toMatchObject({
    theme: 'dark',
    checkpointHistory: 7,
  });
  expect((await second.ask('folders', 'recent')).value).toMatchObject([{ path: agents }]);
  const bounds = await second.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.getBounds(),
  );
  expect(bounds).toEqual({ x: 40, y: 60, width: 900, height: 640 });
  expect((await second.ask('folders', 'forget', agents)).value).toEqual([]);
});

test('is one instance: a second one hands over its folder and ends', async ({
  launch,
  profile,
  agents,
}) => {
  const { ask } = await launch();
  const words = [...electronWords(profile), application, agents];
  const second = spawn(process.env['E2E_ELECTRON'] ?? '', words, { stdio: 'ignore' });
  const code = await new Promise((resolve) => second.once('exit', resolve));
  expect(code).toBe(0);
  await expect
    .poll(async () => (await ask('service', 'view')).value, { timeout: 60_000 })
    .toMatchObject({ state: 'ready', folder: agents });
});

test('leaves no process behind when it is quit', async ({ launch, agents }) => {
  const desktop = await launch();
  await desktop.ask('service', 'start', agents);
  expect(processesWith(desktop.mark).length).toBeGreaterThan(3);
  await desktop.quit();
  expect(await whatIsLeft(desktop.mark, 30_000)).toEqual([]);
});

test('leaves no process behind when it is killed, even while it starts', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  await desktop.ask('service', 'start', agents);
  desktop.app.process().kill('SIGKILL');
  expect(await whatIsLeft(desktop.mark, 30_000)).toEqual([]);

  const starting = await launch();
  void starting.ask('service', 'start', agents).catch(() => undefined); // it will not be answered
  await expect
    .poll(() => processesWith(starting.mark).some(({ command }) => /start-dev/.test(command)))
    .toBe(true);
  starting.app.process().kill('SIGKILL');
  expect(await whatIsLeft(starting.mark, 30_000)).toEqual([]);
});
