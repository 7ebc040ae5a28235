// The engine's process with the real binary: start, restart, stop and every refusal. Each test has its own engine,
// for it is about its process.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Connection } from '@temporalio/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transportOf } from '../../src/engine/client/connection.ts';
import { findBuiltEngine } from '../../src/engine/server/build-engine.ts';
import { provisionEngine } from '../../src/engine/server/provision.ts';
import {
  type EngineServer,
  type EngineServerOptions,
  startEngineServer,
} from '../../src/engine/server/supervise.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { mountSmallDisk } from '../fixtures/small-disk.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const checkout = path.resolve(import.meta.dirname, '../../..');
const logger = createLogger({ level: 'silent', format: 'json' });
const signal = new AbortController().signal;
const LIMIT_MS = 60_000;
let binary = '';
let folder = '';
const open: EngineServer[] = [];

beforeAll(() => {
  binary = findBuiltEngine(checkout) ?? '';
  if (binary === '') throw new Error('there is no engine: run npm run build:native');
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'engine-server-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(changes: Partial<EngineServerOptions> = {}): Promise<EngineServer> {
  const engine = await startEngineServer({
    binary,
    kind: 'embedded',
    dataFile: path.join(folder, 'engine.db'),
    searchAttributes: { ThreadStatus: 'Keyword', Ephemeral: 'Bool' },
    logger,
    signal,
    ...changes,
  });
  open.push(engine);
  return engine;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pidOf(engine: EngineServer): number {
  const pid = engine.pid();
  if (pid === undefined) throw new Error('there is no process');
  return pid;
}

/** A call that only an engine with our namespace serves. */
async function retentionHours({ address, auth }: EngineServer): Promise<number> {
  const transport = transportOf(auth);
  const connection = await Connection.connect({ address, connectTimeout: LIMIT_MS, ...transport });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    return Number(config?.workflowExecutionRetentionTtl?.seconds) / 3600;
  } finally {
    await connection.close();
  }
}

/** A process that keeps an engine, as the service does; it prints the engine's address and pid. */
async function parentOfAnEngine(kind: 'embedded' | 'cli') {
  const code = `
    import { startEngineServer } from './server/src/engine/server/supervise.ts';
    import { createLogger } from './server/src/observability/logger.ts';
    const engine = await startEngineServer({
      binary: process.argv[1], kind: process.argv[2], inMemory: true,
      logger: createLogger({ level: 'silent', format: 'json' }), signal: new AbortController().signal,
    });
    console.log(JSON.stringify({ pid: engine.pid(), address: engine.address }));
  `;
  const args = ['--input-type=module', '-e', code, binary, kind];
  const parent = spawn(process.execPath, args, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const { pid, address }: { pid: number; address: string } = JSON.parse(String(line));
  return { parent, pid, address };
}

function childrenOf(pid: number): number[] {
  const text = execFileSync('ps', ['-e', '-o', 'pid=,ppid=']).toString();
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .flatMap(([child]) => (child === undefined ? [] : [child]));
}

describe('the engine process', () => {
  test('serves the namespace and is gone after close', async () => {
    const engine = await start();
    const pid = pidOf(engine);
    expect(engine.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await retentionHours(engine)).toBe(72);
    await engine.close();
    await engine.close();
    expect([isAlive(pid), engine.pid()]).toEqual([false, undefined]);
  });

  test('comes back on the same address when it is killed, every time', async () => {
    const engine = await start();
    const { address, auth } = engine;
    for (const round of [1, 2]) {
      const killed = pidOf(engine);
      const restarted = new Promise<void>((resolve) => {
        const forget = engine.onRestart(() => {
          forget();
          resolve();
        });
      });
      process.kill(killed, 'SIGKILL');
      await restarted;
      // Clients that are connected know no other secret.
      const { address: now, auth: shown } = engine;
      const expected = { round, now: address, shown: auth, isNew: true };
      expect({ round, now, shown, isNew: engine.pid() !== killed }).toEqual(expected);
      expect(await retentionHours(engine)).toBe(72);
    }
  });

  test('can be closed while it is being restarted', async () => {
    const engine = await start();
    process.kill(pidOf(engine), 'SIGKILL');
    await waitUntil('the end of the process', LIMIT_MS, () => engine.pid() === undefined);
    await engine.close();
    expect(engine.pid()).toBeUndefined();
  });

  test('stops a start that is not wanted any more', async () => {
    const unwanted = new AbortController();
    const starting = start({ signal: unwanted.signal });
    unwanted.abort(new Error('not wanted'));
    await expect(starting).rejects.toThrow('not wanted');
  });

  /** What an engine consists of whose parent was killed. */
  async function orphansOf(kind: 'embedded' | 'cli'): Promise<number[]> {
    const { parent, pid } = await parentOfAnEngine(kind);
    const orphans = kind === 'cli' ? [pid, ...childrenOf(pid)] : [pid];
    parent.kill('SIGKILL');
    return orphans;
  }

  test('ends when its parent is killed', async () => {
    const orphans = await orphansOf('embedded');
    await waitUntil('the end of all', LIMIT_MS, () => !orphans.some(isAlive));
    expect(orphans).toHaveLength(1);
  });

  test('of the CLI kind ends when its parent is killed', { tags: 'release' }, async () => {
    const orphans = await orphansOf('cli');
    await waitUntil('the end of all', LIMIT_MS, () => !orphans.some(isAlive));
    // The watchdog, the engine, and what the watchdog waits with.
    expect(orphans.length).toBeGreaterThan(1);
  });

  test('of the CLI kind is watched by its health, restarted and stopped with its watchdog', async () => {
    // The embedded engine understands the flags of the CLI, so it can replace it here.
    const engine = await start({ kind: 'cli' });
    const { address } = engine;
    const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
    const [served] = childrenOf(pidOf(engine));
    process.kill(served ?? 0, 'SIGKILL');
    await restarted;
    expect([engine.address, await retentionHours(engine)]).toEqual([address, 72]);
    const all = [pidOf(engine), ...childrenOf(pidOf(engine))];
    await engine.close();
    await waitUntil('the end of all', LIMIT_MS, () => !all.some(isAlive));
  });
});

describe('an engine that cannot serve reports why in one sentence', () => {
  const failure = (reason: string, message: string | RegExp) =>
    expect.objectContaining({
      code: 'engine_unavailable',
      details: { reason },
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });

  test('the port is taken', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(start({ port })).rejects.toEqual(
      failure(
        'port_taken',
        `The address 127.0.0.1:${port} cannot be listened on, probably another process uses it: address already in use.`,
      ),
    );
    await expect(start({ port, kind: 'cli' })).rejects.toEqual(
      failure('port_taken', /The (port|address) .*/),
    );
    other.close();
  });

  test('another instance has the database', async () => {
    const engine = await start();
    await expect(start()).rejects.toEqual(
      failure(
        'database_locked',
        `The database ${path.join(folder, 'engine.db')} is in use by process ${engine.pid()} at ${engine.address}.`,
      ),
    );
  });

  test('the database is newer', async () => {
    const file = path.join(folder, 'engine.db');
    await (await start()).close();
    stampAsNewer(file);
    await expect(start()).rejects.toEqual(
      failure(
        'database_newer',
        `The database ${file} is newer than this engine: it was written by server 1.99, this engine has server 1.32.0.`,
      ),
    );
  });

  test('the program is none', async () => {
    const nothing = path.join(folder, 'nothing');
    await expect(start({ binary: nothing })).rejects.toEqual(
      failure('not_startable', `The engine ${nothing} cannot be started: spawn ${nothing} ENOENT.`),
    );
  });

  test('the program serves every client', async () => {
    const open = path.join(folder, 'open');
    const ready = { event: 'ready', address: '127.0.0.1:1', pid: 1, server: '1.32.0' };
    writeFileSync(open, `#!/bin/sh\necho '${JSON.stringify(ready)}'\nexec cat\n`, { mode: 0o755 });
    await expect(start({ binary: open })).rejects.toEqual(
      failure(
        'not_guarded',
        `The engine ${open} asks its clients for no identity, so it is not one of this release.`,
      ),
    );
  });

  test('the disk is full', async (context) => {
    const disk = mountSmallDisk(0.2);
    if (disk === undefined) return context.skip('mounting a small disk needs root');
    const dataFile = path.join(disk.folder, 'engine.db');
    try {
      await expect(start({ dataFile })).rejects.toEqual(
        failure(
          'database_unwritable',
          `The disk is full: the database ${dataFile} cannot be written.`,
        ),
      );
    } finally {
      disk.unmount();
    }
  });
});

test('the checkout provides the embedded engine that was built', async () => {
  const messages: string[] = [];
  const found = await provisionEngine({
    checkout,
    cacheFolder: folder,
    signal,
    onProgress: (message) => messages.push(message),
  });
  expect(found).toEqual({ kind: 'embedded', path: binary, source: 'built' });
  expect(messages).toEqual([`engine: the embedded engine built before (${binary})`]);
  expect(existsSync(found.path)).toBe(true);
});

/** Writes PRAGMA user_version = 1099 as the bytes it is: the big-endian number at 60 in the header. */
function stampAsNewer(file: string): void {
  execFileSync(process.execPath, [
    '-e',
    `const fs = require('node:fs');
     const file = fs.openSync(process.argv[1], 'r+');
     const bytes = Buffer.alloc(4); bytes.writeUInt32BE(1099);
     fs.writeSync(file, bytes, 0, 4, 60);`,
    file,
  ]);
}
