/**
 * What guests in each sandbox may use, and how they come and go under a pool. Takes a minute or two: guests in all sandboxes
 * of this machine are started, run into their limits, and start again.
 * @module-tag release
 * @needs guest-root
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { guestRootFolder } from '../../../scripts/suites.ts';
import { GuestPool } from '../../src/guest/pool/guest-pool.ts';
import { guestLimits } from '../../src/guest/limits.ts';
import type { InvocationEnd } from '../../src/guest/port.ts';
import type { Sandbox, SandboxLimits } from '../../src/guest/sandbox/port.ts';
import { compositeRunId, type AgentId } from '../../src/model/ids.ts';
import { describeWhere } from '../fixtures/describe-where.ts';
import { testInvocation } from '../fixtures/invocation.ts';
import {
  gvisorRootless,
  runscOfTests,
  sandboxKinds,
  testLimits,
} from '../fixtures/sandbox-kinds.ts';
import { perform, resultOf, startGuest, type SandboxedGuest } from '../fixtures/sandboxed-guest.ts';
import { spawnService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const agents = fileURLToPath(new URL('../fixtures/bounded-agents', import.meta.url));
const LIMIT_MS = 120_000;
const SOON_MS = 60_000;
const never = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const deeds = {
  agentId: 'deeds' as AgentId,
  language: 'python',
  path: './deeds.py:graph',
} as const;

describeWhere(sandboxKinds, (kind) => {
  const ends: (() => Promise<void>)[] = [];
  let tearDown: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    tearDown = await kind.setUp?.();
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  afterAll(async () => {
    await tearDown?.();
  });

  async function open(limits?: Partial<SandboxLimits>): Promise<Sandbox> {
    const sandbox = await kind.open(limits);
    ends.push(() => sandbox.close());
    return sandbox;
  }

  async function start(limits?: Partial<SandboxLimits>): Promise<SandboxedGuest> {
    const sandbox = await open(limits);
    const guest = await startGuest(sandbox, await kind.program(sandbox, { folder: agents }));
    ends.push(() => guest.guest.close());
    return guest;
  }

  if (kind.isolates) {
    it('ends a guest that takes more memory than its limit', async () => {
      const { end } = await perform(await start(), 'hold_memory', ['640']);
      expect(end).toMatchObject({
        kind: 'crash',
        message: expect.stringContaining('ran out of memory (limit 384Mi)') as string,
      });
    });
  }

  it(`opens ${kind.isolates ? 'no more files than the limit' : 'files without a limit'}`, async () => {
    const { did } = await resultOf(await start(), 'open_files', ['1500']);
    const { open, error } = did as { open: number; error: string | null }; // of deeds.py
    expect(error).toBe(kind.isolates ? 'EMFILE' : null);
    if (!kind.isolates) return;
    // The guest's other threads may open or close a few between the count and the first file.
    expect(Math.abs(open - testLimits.openFiles)).toBeLessThan(8);
  });

  if (kind.isolates) {
    it('gets no more of the processors than its limit', async () => {
      const guest = await start({ cpus: 0.5 });
      const usedSoFar = (): number => guest.guest.usage().cpuSeconds ?? Number.NaN;
      const before = usedSoFar();
      const begin = performance.now();
      await resultOf(guest, 'spin', ['2', '3']);
      const wall = (performance.now() - begin) / 1000;
      const used = usedSoFar() - before;
      // However little a busy machine leaves it.
      expect(used).toBeGreaterThan(0.1);
      expect(used).toBeLessThan(0.5 * wall * 1.2);
    });
  }

  /** A pool of one guest, with the agents of its own folder. */
  async function openPool(): Promise<{ pool: GuestPool; folder: string }> {
    const folder = mkdtempSync(path.join(tmpdir(), 'bounded-'));
    ends.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
    const source = path.join(folder, 'agents');
    cpSync(agents, source, { recursive: true });
    const sandbox = await open();
    const pool = new GuestPool({
      agents: [deeds],
      prepare: () => kind.program(sandbox, { folder: source }),
      size: 1,
      maxMessageBytes: 8 * 1024 * 1024,
      logger: silent,
      limits: { ...guestLimits, restartMinMs: 100, restartMaxMs: 500 },
      confinement: { sandbox },
    });
    ends.push(() => pool.close());
    pool.start();
    await pool.settled(AbortSignal.timeout(SOON_MS));
    return { pool, folder };
  }

  async function invoke(
    pool: GuestPool,
    words: readonly string[],
    onLine?: () => void,
  ): Promise<InvocationEnd> {
    const [deed, ...rest] = words;
    const { agentId } = deeds;
    const { invocation } = testInvocation({ deed, words: rest }, { agentId });
    const run = pool.invoke(invocation, never);
    if (onLine) {
      const runId = compositeRunId(invocation.threadId, invocation.runUuid);
      await waitUntil('its line', SOON_MS, () => pool.output.written(runId) > 0);
      onLine();
    }
    return await run;
  }

  it('lets a guest that is to go finish its run', async () => {
    const { pool } = await openPool();
    const [old = 0] = pool.pids();
    const run = await invoke(pool, ['rest', '2'], () => pool.reload());
    expect(run).toMatchObject({ kind: 'completed' });
    await waitUntil('its end', SOON_MS, () => !pool.pids().includes(old));
    expect(await invoke(pool, ['echo', 'new'])).toMatchObject({ kind: 'completed' });
  });

  it(
    'reports in its health why no guest can be started any more, and is well when one can',
    async () => {
      const { pool, folder } = await openPool();
      expect(pool.health()).toEqual({ ok: true });
      const [here, gone] = [path.join(folder, 'agents'), path.join(folder, 'gone')];
      renameSync(here, gone);
      expect(await invoke(pool, ['die'])).toMatchObject({ kind: 'crash' });
      const trouble = await waitUntil('a failure', SOON_MS, () => {
        const { ok, reason = '' } = pool.health();
        return !ok && !reason.includes('SIGKILL') && !reason.includes('starting') && reason;
      });
      // Plain processes are this user's own.
      expect(kind.isolates && trouble.includes(folder)).toBe(false);
      renameSync(gone, here);
      await waitUntil('a guest', SOON_MS, () => pool.health().ok);
      expect(await invoke(pool, ['echo', 'back'])).toMatchObject({ kind: 'completed' });
    },
    LIMIT_MS,
  );
});

const { missing } = gvisorRootless;
describeWhere([{ name: 'gvisor without the rights of root', missing }], () => {
  it('reports at the start which limits do not hold', async ({ skip }) => {
    const isRoot = process.getuid?.() === 0;
    const asOtherUser = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const [command, ...words] = [...(isRoot ? asOtherUser : []), process.execPath];
    const reads = spawnSync(command, [...words, '--version']).status === 0;
    skip(!reads, 'SKIPPED: this checkout is where no other user may read');
    const folder = mkdtempSync(path.join(tmpdir(), 'other-user-'));
    if (isRoot) chownSync(folder, 65_534, 65_534);
    const service = spawnService(
      agents,
      [
        ...[`--data-dir=${folder}/data`, '--api-addr=127.0.0.1:0', '--sandbox=gvisor'],
        ...['--memory=1Gi', `--guest-image=${path.join(guestRootFolder, 'tree')}`],
      ],
      {
        ...{ HOME: folder, TMPDIR: folder, SERVICE_CACHE_DIR: `${folder}/cache` },
        SERVICE_GUEST_RUNSC: await runscOfTests(),
      },
      undefined,
      isRoot ? asOtherUser : [],
    );
    const ended = once(service, 'exit');
    let output = '';
    for (const stream of [service.stdout, service.stderr]) {
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    }
    const notice = /--memory and --cpu have no effect: this user cannot create cgroups\./;
    try {
      await waitUntil('the notice, or an end', SOON_MS, () => {
        return notice.test(output) || service.exitCode !== null;
      });
      expect(output).toMatch(notice);
    } finally {
      service.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true });
    }
  });
});
