/** @module-tag release */
/** Takes minutes because runs of a real service are held by a debugger for longer than a heartbeat may be silent. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { attachDebugpy, attachInspector } from '../fixtures/debug-clients.ts';
import {
  durableAgents,
  startDurableService,
  testPython,
  whenHealthy,
} from '../fixtures/durable-service.ts';
import { freePort } from '../fixtures/free-port.ts';
import { startCommand } from '../fixtures/service-command.ts';
import { awaitRun, getRun, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { startSteps, type StepRun } from './step-run.ts';

/** More than the heartbeat of an attempt may be silent. */
const HELD_MS = 12_000;
/** More than the grace of the run, then of its guest. */
const CANCEL_LIMIT_MS = 60_000;
/** What a killed server leaves behind ends by itself within this. */
const ORPHAN_LIMIT_MS = 30_000;
const LIMIT_MS = 180_000;

const attach = { debugpy: attachDebugpy, inspector: attachInspector } as const;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kill-debugged-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each([
  ['debugpy', 'py'],
  ['inspector', 'ts'],
] as const)('a service under %s', (provider, language) => {
  const file = path.join(durableAgents, `steps.${language}`);
  const line = lineOf(file, 'note(state, number)');
  // Inherited by all that the service starts, also by what leaves its process group.
  const mark = randomUUID();
  let dataDir = '';
  let port = 0;
  let service: ServiceProcess;

  async function start(): Promise<void> {
    service = await startDurableService({
      dataDir,
      flags: ['--debug', '--debug-provider', provider, '--debug-port', String(port)],
      environment: { DEBUG_MARK: mark },
    });
    await whenHealthy(service.url);
  }

  const startRun = (): Promise<StepRun> =>
    startSteps(service.url, { folder, language, total: 1, pauseMs: 0, durability: 'sync' });

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'kill-debugged-data-'));
    port = await freePort();
    await start();
  }, LIMIT_MS);
  afterAll(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true });
  });

  test('holds a run at a breakpoint, and its first attempt continues', async () => {
    const client = await attach[provider](port, file, [line]);
    const run = await startRun();
    await client.stopped();
    await pause(HELD_MS);
    expect(await getRun(service.url, run.runId)).toMatchObject({ status: 'running' });
    await client.resume();
    const ended = await awaitRun(service.url, run.runId);
    expect(ended).toMatchObject({ status: 'completed' });
    expect(ended).not.toHaveProperty('last_failure');
    await client.detach();
  });

  test('refuses a second one on the port, in one sentence', async () => {
    const words = ['serve', durableAgents, '--sandbox', 'none', '--interpreter', testPython()];
    const options = ['--data-dir', path.join(folder, provider), '--api-addr', '127.0.0.1:0'];
    const debug = ['--debug', '--debug-provider', provider, '--debug-port', String(port)];
    const { code, stderr } = await startCommand([...words, ...options, ...debug]).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`Error: The debug port ${port} is taken, .* another one with --debug-port\\.`),
    );
  });

  test('ends a cancelled run that is held, and starts its guest again on the port', async () => {
    const client = await attach[provider](port, file, [line]);
    const run = await startRun();
    await client.stopped();
    await send(service.url, 'POST', `/threads/${run.threadId}/runs/${run.runId}/cancel`);
    await waitUntil('the cancelled run', CANCEL_LIMIT_MS, async () => {
      return (await getRun(service.url, run.runId)).status === 'cancelled';
    });
    const next = await attach[provider](port, file, [line]);
    const again = await startRun();
    await next.stopped();
    await next.resume();
    expect(await awaitRun(service.url, again.runId)).toMatchObject({ status: 'completed' });
    await next.detach();
  });

  test('leaves no process behind when it is killed while a run is held, and the run continues', async () => {
    const client = await attach[provider](port, file, [line]);
    const run = await startRun();
    await client.stopped();
    expect(marked(mark).length).toBeGreaterThan(1);
    await service.kill();
    await waitUntil('the end of all processes', ORPHAN_LIMIT_MS, () => marked(mark).length === 0);
    await start();
    expect(await awaitRun(service.url, run.runId)).toMatchObject({ status: 'completed' });
  });

  test('leaves none behind when it is stopped', async () => {
    expect(await service.stop()).toBe(0);
    await waitUntil('the end of all processes', ORPHAN_LIMIT_MS, () => marked(mark).length === 0);
    await start();
  });
});

function lineOf(file: string, text: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.trim().startsWith(text));
  if (at < 0) throw new Error(`${file} has no line ${text}`);
  return at + 1;
}

/** The processes that have inherited the mark, whichever process is their parent by now. */
function marked(mark: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark) ? [Number(name)] : [];
    } catch {
      return []; // gone meanwhile, or another user's
    }
  });
}
