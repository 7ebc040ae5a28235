import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '../fixtures/desktop.ts';
import { request } from '../fixtures/page-requests.ts';
import { foreignPeers, processesWith } from '../fixtures/processes.ts';

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
    await ask('service', 'start', agents);
    const body = { agent_id: 'echo', input: { text: 'hi', pauses: 5 } };
    expect((await request(page, '/runs/wait', { method: 'POST', body })).status).toBe(200);
    for (const route of ['/threads', '/agents', '/logs', '/doctor', '/settings', '/store']) {
      await page.evaluate((hash) => (location.hash = hash), route);
      await request(page, '/threads/search', { method: 'POST', body: {} });
    }
    await ask('doctor', 'examine');
    expect(await ask('app', 'checkForUpdates')).toMatchObject({ value: { state: 'off' } });
    await ask('service', 'restart');
    await desktop.quit();
    expect([...foreign]).toEqual([]);
    expect(hostsOf(netLog)).toEqual([]);
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
});
