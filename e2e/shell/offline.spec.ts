import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import {
  exportThread,
  killService,
  openFolder,
  pidsOf,
  runEcho,
  untilRunIs,
  usePrincipal,
  visit,
} from '../fixtures/desktop-work.ts';
import { foreignPeers, processesWith, remainingProcesses } from '../fixtures/processes.ts';
import { expect, test } from '../fixtures/shell-test.ts';
import { routePatterns } from '../fixtures/studio-routes.ts';

/** A page, by the route that the router has for it, and what is visible once it is shown with its data. */
interface PageSpec {
  readonly at: string;
  readonly query?: string;
  readonly shows: (main: Locator) => Locator;
}

const heading =
  (name: string) =>
  (main: Locator): Locator =>
    main.getByRole('heading', { name, exact: true });
const part =
  (view: string, text: string | RegExp) =>
  (main: Locator): Locator =>
    main.getByRole('tabpanel', { name: view }).getByText(text).first();

/** Electron before version 35 has no SQLite and so no run history, which its pages say. */
const orNoHistory =
  (shown: (main: Locator) => Locator) =>
  (main: Locator): Locator =>
    shown(main)
      .or(main.getByText(/the run history is off/i))
      .first();

const ofThread = '/threads/:threadId';
const ofRun = `${ofThread}/runs/:runId`;
const pageSpecs: readonly PageSpec[] = [
  { at: '/', shows: heading('No thread is open') },
  { at: '/threads', shows: heading('No thread is open') },
  { at: ofThread, shows: (main) => main.getByRole('heading', { name: /^Run / }) },
  { at: `${ofThread}/state`, shows: (main) => main.getByText('hi!?').first() },
  {
    at: `${ofThread}/runs`,
    shows: (main) => main.getByRole('listbox', { name: 'Runs' }).getByRole('option'),
  },
  {
    at: `${ofThread}/checkpoints`,
    shows: (main) =>
      main
        .getByRole('listbox', { name: /^Checkpoints/ })
        .getByRole('option')
        .first(),
  },
  {
    at: ofRun,
    shows: orNoHistory((main) =>
      main.getByRole('listbox', { name: 'Trace' }).getByRole('option').first(),
    ),
  },
  {
    at: ofRun,
    query: 'view=events',
    shows: (main) => main.getByRole('listbox', { name: 'Events' }).getByRole('option').first(),
  },
  { at: ofRun, query: 'view=input', shows: orNoHistory(part('Input', 'hi')) },
  { at: ofRun, query: 'view=text', shows: (main) => main.getByRole('tabpanel', { name: 'Text' }) },
  { at: ofRun, query: 'view=graph', shows: part('Graph', 'say') },
  { at: ofRun, query: 'view=output', shows: part('Output', 'hi!?') },
  { at: ofRun, query: 'view=logs', shows: part('Logs', 'saying hi') },
  { at: ofRun, query: 'view=record', shows: part('Record', 'run_id') },
  { at: '/runs', shows: heading('Runs') },
  { at: '/runs/compare', query: 'a=:run&b=:run', shows: heading('Compare') },
  { at: '/waiting', shows: heading('Nothing waits for an answer') },
  { at: '/agents', shows: heading('Agents') },
  { at: '/agents/:name', shows: heading('echo') },
  { at: '/store', shows: heading('The store is off') },
  { at: '/principals', shows: heading('Principals') },
  {
    at: '/access',
    shows: (main) => main.getByText('No policy files: everything is permitted'),
  },
  { at: '/bundles', shows: heading('Open a bundle') },
  { at: '/logs', shows: (main) => main.getByText('saying hi') },
  { at: '/doctor', shows: (main) => main.getByText('Safe storage of tokens') },
  { at: '/settings', shows: heading('Service on this machine') },
  { at: '/debug', shows: (main) => main.getByRole('region', { name: 'State of the debugger' }) },
  { at: '/welcome', shows: heading('Open your agents') },
  { at: '/*', shows: heading('No such page') },
];
const home = /^(127\.|localhost$|\[?::1\]?$)/;

/** Hosts that Chromium's own network log names, as addresses asked for, resolved or connected to. */
function hostsOf(netLog: string): string[] {
  const text = readFileSync(netLog, 'utf8');
  // Whole only when the desktop has ended in order.
  const { events } = JSON.parse(text) as { events: unknown[] };
  expect(events).not.toEqual([]);
  const found = [
    ...text.matchAll(/"url":"(?:https?|wss?):\/\/([^/:"]+)/g),
    ...text.matchAll(/"host":"(?:https?:\/\/)?([^/:"]+)/g),
    ...text.matchAll(/"address(?:_list)?":\[?"([^"]+?)(?::\d+)?"/g),
  ].map(([, host = '']) => host);
  return [...new Set(found)].filter((host) => host !== '' && !home.test(host));
}

async function visitAll(page: Page, ids: Readonly<Record<string, string>>): Promise<void> {
  expect([...new Set(pageSpecs.map(({ at }) => at))].toSorted()).toEqual(await routePatterns(page));
  const filled = (text: string): string => text.replace(/:(\w+)/g, (_, name) => ids[name] ?? '');
  for (const { at, query, shows } of pageSpecs) {
    const route = filled(query === undefined ? at : `${at}?${query}`);
    await test.step(route, async () => {
      await page.evaluate((hash) => (location.hash = hash), route);
      await expect(shows(page.getByRole('main'))).toBeVisible();
    });
  }
}

// A separate desktop: everything from its start to its end is in the network log.
test('connects to no other machine during a whole session, also when its service is killed while a run is on', async ({
  launch,
  agents,
  gate,
}) => {
  test.skip(process.platform !== 'linux', 'sockets are looked up in /proc');
  const folder = mkdtempSync(path.join(tmpdir(), 'e2e-netlog-'));
  const netLog = path.join(folder, 'net.json');
  const foreign = new Set<string>();
  const desktop = await launch(`--log-net-log=${netLog}`);
  const watch = setInterval(() => {
    const pids = processesWith(desktop.mark).map(({ pid }) => pid);
    for (const peer of foreignPeers(pids)) foreign.add(peer);
  }, 100);
  try {
    const { ask, page } = desktop;
    await openFolder(desktop, agents);
    const threadId = await runEcho(page, { text: 'hi' });
    await untilRunIs(page, 'completed');
    const [, runId = ''] = /\/runs\/([^?]+)/.exec(page.url()) ?? [];
    await visitAll(page, { threadId, runId, run: `${threadId}_${runId}`, name: 'echo' });

    const file = path.join(folder, 'thread.bundle.jsonl.gz');
    await exportThread(desktop, { thread: threadId, file });
    await expect.poll(() => existsSync(file)).toBe(true);
    await visit(page, '/bundles');
    await page.getByLabel('Bundle file').setInputFiles(file);
    await page.getByRole('button', { name: 'Import as thread' }).click();
    await page.getByRole('textbox', { name: 'Thread id' }).fill('second');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    // A thread without messages opens on its newest run.
    await expect(page).toHaveURL(/#\/threads\/second\/runs\//);
    expect(await ask('app', 'checkForUpdates')).toMatchObject({ value: { state: 'off' } });

    // As another user: the local service takes the principal that is chosen in the window.
    await usePrincipal(page, 'ada');
    const asked = page.waitForRequest(
      (request) => request.headers()['x-test-principal'] !== undefined,
    );
    await runEcho(page, { text: 'patience', gate: gate.file });
    expect(JSON.parse((await asked).headers()['x-test-principal'] ?? '')).toHaveProperty('sub');
    await untilRunIs(page, 'running');

    const guests = pidsOf(desktop, 'guest');
    expect(guests.length).toBeGreaterThan(0);
    await killService(desktop);
    expect((await ask('service', 'view')).value).toMatchObject({
      state: 'failed',
      failure: { code: 'service_ended', actions: ['restart', 'logs'] },
    });
    // Its engine and guests end with it.
    await expect.poll(() => pidsOf(desktop, 'engine')).toEqual([]);
    await expect.poll(() => pidsOf(desktop, 'guest')).toEqual([]);
    await page.getByRole('alert').getByRole('button', { name: 'Restart' }).click();
    gate.open();
    await untilRunIs(page, 'completed');
    await expect(page.getByRole('article', { name: /^Run / })).toContainText(/attempt/i);

    await desktop.quit();
    expect(await remainingProcesses(desktop.mark, 30_000)).toEqual([]);
    expect([...foreign]).toEqual([]);
    expect(hostsOf(netLog)).toEqual([]);
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
});
