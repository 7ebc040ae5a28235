// @module-tag release
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { endDesktop, type BridgeReply } from '../fixtures/desktop.ts';
import { pidsOf } from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { packDesktop, startPackaged } from '../fixtures/packaged.ts';
import { remainingProcesses } from '../fixtures/processes.ts';
import { expect, test as base } from '../fixtures/shell-test.ts';

const test = base.extend<object, { program: string }>({
  /** Packed once, around the Electron of the tests. */
  program: [
    async ({ electron }, use) => {
      await use('missing' in electron ? '' : packDesktop(electron));
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});

test.skip(process.platform !== 'linux', 'only what is packed on Linux is started here');

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

test('carries the files of its own platform and no other', { tag: '@release' }, ({ program }) => {
  const resources = path.join(path.dirname(program), 'resources');
  const modules = path.join(resources, 'node_modules');
  const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  expect(readdirSync(path.join(modules, '@temporalio/core-bridge/releases'))).toEqual([
    `${machine}-unknown-linux-gnu`,
  ]);
  expect(readdirSync(path.join(modules, 'better-sqlite3/prebuilds'))).toEqual([
    `linux-${process.arch}.node`,
  ]);
  expect(readdirSync(path.join(resources, 'engine'))).toEqual([`linux-${process.arch}`]);
  const programs = path.join(resources, 'engine', `linux-${process.arch}`);
  expect(readdirSync(programs).toSorted()).toEqual(['LICENSES-images.txt', 'engine', 'images']);
  expect(existsSync(path.join(resources, 'app.asar'))).toBe(true);
});

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

function manifestIn(folder: string): Manifest | undefined {
  const file = path.join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : undefined; // npm's own
}

// The application is packed below the checkout, whose packages Node would find for those that are missing in it.
test(
  'carries the packages of the server, in the versions that it names',
  { tag: '@release' },
  ({ program }) => {
    const resources = path.join(path.dirname(program), 'resources');
    const server = path.join(resources, 'server');
    const named = Object.entries(manifestIn(server)?.dependencies ?? {});
    expect(named.length).toBeGreaterThan(20);
    const found = named
      .filter(([name]) => name !== 'commander' && name !== '@temporalio/testing') // of the command line
      .map(([name, range]) => {
        const manifests = [server, resources].map((at) =>
          manifestIn(path.join(at, 'node_modules', name)),
        );
        const version = manifests.map((manifest) => manifest?.version).find(Boolean);
        const isExact = /^\d/.test(range);
        const isThat = isExact
          ? version === range
          : version?.split('.')[0] === range.slice(1).split('.')[0];
        return isThat ? undefined : `${name} ${range}: ${version ?? 'missing'}`;
      });
    expect(found.filter(Boolean)).toEqual([]);
  },
);

/** What follows the sentinel in Electron's binary: version and number of the fuses, then one character each. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** In the order of Electron's fuses.json5. `1` is on, `0` off. */
const fuses = ['runAsNode', 'cookies', 'nodeOptions', 'inspect', 'asarIntegrity', 'onlyAsar'];

test(
  'has the fuses set that keep it from being used as a plain Node',
  { tag: '@release' },
  ({ program }) => {
    const binary = readFileSync(program);
    const at = binary.indexOf(sentinel);
    expect(at).toBeGreaterThan(0);
    const wire = binary.subarray(at + sentinel.length + 2).toString('latin1', 0, fuses.length);
    expect(Object.fromEntries(fuses.map((name, index) => [name, wire[index]]))).toEqual({
      runAsNode: '0',
      cookies: '1',
      nodeOptions: '0',
      inspect: '0',
      asarIntegrity: '1',
      onlyAsar: '1',
    });
  },
);

test(
  'starts, serves, and leaves no process behind when it is quit',
  { tag: '@release' },
  async ({ program, profile, agents }) => {
    const desktop = await startPackaged(program, { profile, folder: agents });
    try {
      await untilReady(desktop.page);
      const run = { agent_id: 'echo', input: { text: 'packed' } };
      expect(
        await request(desktop.page, '/runs/wait', { method: 'POST', body: run }),
      ).toMatchObject({
        status: 200,
        body: { output: { text: 'packed!?' } },
      });
      desktop.child.kill('SIGTERM');
      expect(await desktop.ended).toBe(0);
      expect(await remainingProcesses(desktop.mark, 10_000)).toEqual([]);
    } finally {
      await endDesktop(desktop);
    }
  },
);

test(
  'leaves no process behind when it is killed while a run is on',
  { tag: '@release' },
  async ({ program, profile, agents, gate }) => {
    const desktop = await startPackaged(program, { profile, folder: agents });
    try {
      await untilReady(desktop.page);
      // A run is on: its guest runs as well.
      const body = { agent_id: 'echo', input: { text: 'long', gate: gate.file } };
      const { body: run } = await request(desktop.page, '/runs', { method: 'POST', body });
      await expect
        .poll(async () => (await request(desktop.page, `/runs/${run.run_id}`)).body.status, {
          timeout: 60_000,
        })
        .toBe('running');
      expect(pidsOf(desktop, 'engine')).toHaveLength(1);
      expect(pidsOf(desktop, 'guest')).not.toEqual([]);
      desktop.child.kill('SIGKILL');
      expect(await remainingProcesses(desktop.mark, 30_000)).toEqual([]);
    } finally {
      await endDesktop(desktop);
    }
  },
);
