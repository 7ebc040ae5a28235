// The desktop as people use it: by what is in its window.
import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, test as base, type Desktop } from '../fixtures/desktop.ts';
import {
  answerDialogs,
  exportThread,
  killService,
  openFolder,
  runEcho,
  untilRunIs,
  untilServed,
  usePrincipal,
  visit,
} from '../fixtures/desktop-work.ts';
import { processesWith, whatIsLeft } from '../fixtures/processes.ts';

const service = /utility-sub-type=node\.mojom\.NodeService/;
const guest = /agent_runtime_guest/;

const test = base.extend<{ desktop: Desktop }>({
  /** Its folder was opened in its window, and is served. */
  desktop: async ({ launch, agents }, use) => {
    const desktop = await launch();
    await openFolder(desktop, agents);
    await use(desktop);
  },
});

function pidsOf(desktop: Desktop, pattern: RegExp): number[] {
  return processesWith(desktop.mark).flatMap(({ command, pid }) =>
    pattern.test(command) ? [pid] : [],
  );
}

test('a first session: a folder is opened, an agent runs, the service restarts, all ends', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  const { page } = desktop;
  await expect(page).toHaveURL(/#\/welcome$/);
  await expect(page.getByRole('link', { name: /^Service stopped/ })).toHaveText(/No service/);

  await answerDialogs(desktop, { open: agents });
  await page.getByRole('button', { name: 'Open folder' }).click();
  await expect(page.getByRole('heading', { name: `Starting ${agents}` })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Engine' })).toBeVisible();
  await untilServed(page);
  const { port } = (await desktop.ask('service', 'view')).value;
  await expect(page.getByRole('link', { name: /^Service healthy/ })).toHaveText(
    new RegExp(`agents:${port}$`),
  );

  const thread = await runEcho(page, { text: 'hello' });
  await untilRunIs(page, 'completed');
  await page.getByRole('tab', { name: 'Output' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('hello!?');

  // The page stays where it is, and shows the same of the new service.
  await visit(page, `/threads/${thread}/runs`);
  await page.keyboard.press('Control+k');
  await page.getByLabel('Command or id').fill('Restart the service');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: /^Service (stopping|starting)/ })).toBeVisible();
  await expect(page.getByRole('link', { name: /^Service healthy/ })).toBeVisible({
    timeout: 60_000,
  });
  await expect(page).toHaveURL(new RegExp(`#/threads/${thread}/runs`));
  await expect(page.getByRole('alert')).toHaveCount(0);
  await visit(page, '/threads');
  await expect(page.getByText(thread.slice(0, 4)).first()).toBeVisible();

  await desktop.quit();
  expect(await whatIsLeft(desktop.mark, 30_000)).toEqual([]);
});

test('the folder of the last session is opened by itself, unless it is gone or not wanted', async ({
  launch,
  agents,
}) => {
  const first = await launch();
  await openFolder(first, agents);
  await first.quit();

  const second = await launch();
  await untilServed(second.page);
  expect((await second.ask('service', 'view')).value).toMatchObject({ folder: agents });
  await second.ask('settings', 'write', { reopenLastFolder: false });
  await second.quit();

  const third = await launch();
  await expect(third.page).toHaveURL(/#\/welcome$/);
  expect((await third.ask('service', 'view')).value).toMatchObject({ state: 'stopped' });
  await expect(third.page.getByRole('button', { name: new RegExp(agents) })).toBeEnabled();
  await third.ask('settings', 'write', { reopenLastFolder: true });
  await third.quit();

  renameSync(agents, `${agents}-elsewhere`);
  const { page } = await launch();
  await expect(page).toHaveURL(/#\/welcome$/);
  await expect(page.getByRole('status').filter({ hasText: 'is gone' })).toContainText(agents);
  await expect(page.getByRole('button', { name: new RegExp(agents) })).toBeDisabled();
  renameSync(`${agents}-elsewhere`, agents);
});

test('a start that fails says at which step, why, and what helps, and is mended from there', async ({
  launch,
  agents,
}) => {
  const desktop = await launch();
  const { page } = desktop;
  renameSync(path.join(agents, 'agent.json'), path.join(agents, 'other.json'));
  await answerDialogs(desktop, { open: agents });
  await page.getByRole('button', { name: 'Open folder' }).click();
  await expect(page.getByRole('heading', { name: `Not started: ${agents}` })).toBeVisible();
  const said = page.getByRole('alert');
  await expect(said).toHaveCount(1);
  await expect(said).toContainText('agent.json');
  renameSync(path.join(agents, 'other.json'), path.join(agents, 'agent.json'));
  await said.getByRole('button', { name: 'Restart' }).click();
  await untilServed(page);
});

test('a thread leaves as a bundle and comes back, read-only first and as a thread', async ({
  desktop,
  profile,
}) => {
  const { page } = desktop;
  const thread = await runEcho(page, { text: 'packed' });
  await untilRunIs(page, 'completed');
  const file = path.join(profile, 'thread.bundle.jsonl.gz');
  await exportThread(desktop, { thread, file });
  await expect.poll(() => existsSync(file)).toBe(true);

  await visit(page, '/bundles');
  await page.getByLabel('Bundle file').setInputFiles(file);
  await expect(page.getByRole('tab', { name: /Runs 1/ })).toBeVisible();
  await page.getByRole('button', { name: 'Import as thread' }).click();
  await page.getByRole('textbox', { name: 'Thread id' }).fill('a-second-one');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page).toHaveURL(/#\/threads\/a-second-one$/);
  await visit(page, '/threads/a-second-one/state');
  await expect(page.getByRole('main').getByText('packed!?').first()).toBeVisible();

  // By the desktop itself, as for a file that no page can hold; the id is taken, and that is said.
  await answerDialogs(desktop, { open: file });
  await visit(page, '/bundles');
  await page.reload();
  await page.getByRole('button', { name: 'Import without opening' }).click();
  await expect(page.getByRole('alert')).toContainText('The bundle was not imported');
  await desktop.ask('service', 'view');
  await page.evaluate((id) => fetch(`/api/threads/${id}`, { method: 'DELETE' }), thread);
  await page.getByRole('button', { name: 'Import without opening' }).click();
  await expect(page).toHaveURL(new RegExp(`#/threads/${thread}$`));
});

test('requests are sent as the principal that is chosen in the window', async ({ desktop }) => {
  const { page } = desktop;
  await usePrincipal(page, 'ada');
  const asked = page.waitForRequest(
    (request) => request.headers()['x-test-principal'] !== undefined,
  );
  await visit(page, '/agents');
  expect(JSON.parse((await asked).headers()['x-test-principal'] ?? '')).toHaveProperty('sub');
  await expect(page.getByRole('main').getByText('echo').first()).toBeVisible();
  await runEcho(page, { text: 'as ada' });
  await untilRunIs(page, 'completed');
});

test('the service is killed while a run is on: the window says so, and a restart takes the run up again', async ({
  desktop,
}) => {
  const { page } = desktop;
  await runEcho(page, { text: 'patience', pauses: 60 });
  await untilRunIs(page, 'running');
  const guests = pidsOf(desktop, guest);
  expect(guests.length).toBeGreaterThan(0);
  await killService(desktop);
  await expect.poll(() => pidsOf(desktop, guest).filter((one) => guests.includes(one))).toEqual([]);
  await page.getByRole('alert').getByRole('button', { name: 'Restart' }).click();
  await untilRunIs(page, 'completed');
  await expect(page.getByRole('article', { name: /^Run / })).toContainText(/attempt/i);
});

test('leaves no process behind when it is killed while runs are on', async ({ desktop }) => {
  const { page } = desktop;
  await runEcho(page, { text: 'one', pauses: 300 });
  await untilRunIs(page, 'running');
  expect(pidsOf(desktop, guest).length).toBeGreaterThan(0);
  expect(pidsOf(desktop, service)).toHaveLength(1);
  desktop.app.process().kill('SIGKILL');
  expect(await whatIsLeft(desktop.mark, 30_000)).toEqual([]);
});
