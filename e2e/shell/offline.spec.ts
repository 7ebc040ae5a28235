import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '../fixtures/desktop.ts';
import {
  exportThread,
  killService,
  openFolder,
  runEcho,
  untilRunIs,
  usePrincipal,
  visit,
} from '../fixtures/desktop-work.ts';
import { foreignPeers, processesWith } from '../fixtures/processes.ts';

/** Every page that needs no thread. */
const places = [
  ...['/threads', '/runs', '/agents', '/store', '/principals', '/bundles'],
  ...['/logs', '/doctor', '/settings', '/debug', '/welcome'],
];
const home = /^(127\.|localhost$|\[?::1\]?$)/;

/** Hosts that Chromium's own network log names, as addresses asked for, resolved or connected to. */
function hostsOf(netLog: string): string[] {
  const text = readFileSync(netLog, 'utf8');
  const found = [
    ...text.matchAll(/"url":"(?:https?|wss?):\/\/([^/:"]+)/g),
    ...text.matchAll(/"host":"(?:https?:\/\/)?([^/:"]+)/g),
    ...text.matchAll(/"address(?:_list)?":\[?"([^"]+?)(?::\d+)?"/g),
  ].map(([, host = '']) => host);
  return [...new Set(found)].filter((host) => host !== '' && !home.test(host));
}

test('connects to nobody during a whole session', async ({ launch, agents }) => {
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
    const thread = await runEcho(page, { text: 'hi', pauses: 5 });
    await untilRunIs(page, 'completed');
    const run = new URL(page.url()).hash.slice(1);
    const tabs = ['', '/state', '/runs', '/checkpoints'].map((tab) => `/threads/${thread}${tab}`);
    for (const route of [...places, ...tabs, run, `${run}?tab=logs`]) {
      await visit(page, route);
      await page.waitForLoadState('networkidle');
    }
    const file = path.join(folder, 'thread.bundle.jsonl.gz');
    await exportThread(desktop, { thread, file });
    await expect.poll(() => existsSync(file)).toBe(true);
    await visit(page, '/bundles');
    await page.getByLabel('Bundle file').setInputFiles(file);
    await page.getByRole('button', { name: 'Import as thread' }).click();
    await page.getByRole('textbox', { name: 'Thread id' }).fill('second');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page).toHaveURL(/#\/threads\/second$/);
    await usePrincipal(page, 'ada');
    await ask('doctor', 'examine');
    expect(await ask('app', 'checkForUpdates')).toMatchObject({ value: { state: 'off' } });
    await killService(desktop);
    await page.getByRole('alert').getByRole('button', { name: 'Restart' }).click();
    await expect(page.getByRole('link', { name: /^Service healthy/ })).toBeVisible({
      timeout: 60_000,
    });
    await desktop.quit();
    expect([...foreign]).toEqual([]);
    expect(hostsOf(netLog)).toEqual([]);
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
});
