import { expect, it } from 'vitest';
import { packFrame, toBytes, unpackFrame } from '../../model/frame.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import type { RunStatus } from '../../model/run/run.ts';
import type { MovedRun, MovedThread } from '../../model/thread/thread-part.ts';
import type { ThreadSettings, ThreadSnapshot } from '../../model/thread/thread-record.ts';
import type { ThreadStart } from '../../model/thread/thread-wire.ts';
import {
  type ImportedThread,
  type ImportOptions,
  type MoverParts,
  ThreadImport,
} from './thread-import.ts';

const [active, queued, settled] = [1, 2, 3].map(
  (n) => `0197b1a0-0000-7000-8000-00000000000${n}`,
) as [RunUuid, RunUuid, RunUuid];
const ownRestart = { maxAttempts: 3, initialBackoffMs: 1_000, factor: 2, maxBackoffMs: 30_000 };
const admin = { sub: 'admin', mroles: ['superuser'] };

const thread: MovedThread = {
  threadId: 'moved',
  isEphemeral: false,
  createdAt: 1,
  updatedAt: 1,
  metadata: {},
  revision: 1,
  queue: [queued],
  active,
  owner: 'admin',
  keys: [{ key: 'k', body: 'b', runUuid: active, at: 1 }],
};

function run(runUuid: RunUuid, status: RunStatus, changes: Partial<MovedRun> = {}): MovedRun {
  const request = packFrame({ runUuid, agentId: 'agent', principal: admin });
  return {
    runUuid,
    agentId: 'agent',
    status,
    createdAt: 1,
    updatedAt: 1,
    metadata: {},
    attempt: 1,
    seq: 0,
    restart: { maxAttempts: 1_000, initialBackoffMs: 0, factor: 1, maxBackoffMs: 0 },
    request,
    ...changes,
  };
}

/** What a thread begins with that is imported: an active run, one that waits, and one that has ended. */
async function imported(
  options: ImportOptions,
  runs = [run(active, 'running'), run(queued, 'running'), run(settled, 'completed')],
  settings: Partial<ThreadSettings> = {},
  members: Partial<MovedThread> = {},
): Promise<{ report: ImportedThread; snapshot: ThreadSnapshot }> {
  const starts: ThreadStart[] = [];
  const parts = {
    payloads: { offload: async () => undefined },
    settings: {
      ...{ maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
      ...settings,
    },
    restart: ownRestart,
    starter: { start: async (start: ThreadStart) => void starts.push(start) },
    threads: { query: async () => undefined },
  } as unknown as MoverParts; // what an import uses
  const moving = new ThreadImport(parts, { ...thread, ...members }, options);
  for (const one of runs) await moving.add({ kind: 'run', run: one });
  const bytes = { tag: 'json', bytes: new Uint8Array(0) };
  for (const [id, saver] of [
    ['a', settled],
    ['b', 'outside'],
  ] as const) {
    await moving.add({
      kind: 'checkpoint',
      checkpoint: {
        ns: '',
        id,
        ts: '2026-01-01T00:00:00Z',
        skeleton: bytes,
        metadata: bytes,
        metadataJson: new Uint8Array(0),
        versions: {},
        run: saver,
        writes: [],
      },
    });
  }
  const report = await moving.finish();
  const [start] = starts;
  if (start?.kind !== 'continued') throw new Error('nothing was started');
  return { report, snapshot: start.snapshot };
}

const principalOf = (request: unknown): unknown =>
  unpackFrame<{ principal: unknown }>(request as Uint8Array).principal;

it('cancels runs that had not ended, whatever status they have, and drops their requests', async () => {
  const runs = (['running', 'pending', 'cancelling'] as const).map((status, at) =>
    run([active, queued, settled][at] as RunUuid, status, { retryAt: 5, isRolledBack: true }),
  );
  const { report, snapshot } = await imported({}, runs);
  expect(report).toMatchObject({ resumedRuns: 0, endedRuns: 3 });
  expect(snapshot.thread).toMatchObject({ queue: [] });
  for (const one of snapshot.runs) {
    expect(one).toMatchObject({ status: 'cancelled' });
    for (const name of ['request', 'retryAt', 'isRolledBack']) expect(one).not.toHaveProperty(name);
  }
});

it('has runs continue for the principal that the import sets, with the restart policy of this service', async () => {
  const eve = { sub: 'eve' };
  const { report, snapshot } = await imported({ resumeAs: eve });
  expect(report).toMatchObject({ resumedRuns: 2, endedRuns: 0 });
  expect(snapshot.thread).toMatchObject({ queue: [active, queued] });
  const [first, second, third] = snapshot.runs;
  expect(first).toMatchObject({ status: 'running', lastFailure: 'INFRA', restart: ownRestart });
  expect(second).toMatchObject({ status: 'running', restart: ownRestart });
  expect([first, second].map((one) => principalOf(one?.request))).toEqual([eve, eve]);
  expect(third).not.toHaveProperty('request');
});

it('gives a second thread its own runs, none of which continues', async () => {
  const { report, snapshot } = await imported({ as: 'copy' as ThreadId, resumeAs: admin });
  expect(report).toMatchObject({ threadId: 'copy', resumedRuns: 0, endedRuns: 2 });
  const uuids = snapshot.runs.map(({ runUuid }) => runUuid);
  expect(new Set([...uuids, active, queued, settled]).size).toBe(6);
  expect(snapshot.store.checkpoints.map(({ run: saver }) => saver)).toEqual([uuids[2], 'outside']);
  expect(snapshot.thread).not.toHaveProperty('keys');
});

it('keeps owner and keys of a file that the operator brings, and neither for another user', async () => {
  const brought = await imported({});
  expect(brought.snapshot.thread).toMatchObject({ owner: 'admin', keys: thread.keys });
  const { snapshot } = await imported({ owner: 'eve' });
  expect(snapshot.thread).toMatchObject({ owner: 'eve' });
  expect(snapshot.thread).not.toHaveProperty('keys');
});

it('applies the limits of the importing engine to context and input', async () => {
  const context = toBytes(JSON.stringify({ a: 'x'.repeat(40_000) }));
  const small = { payloadBytes: 256 * 1024 };
  const refused = { code: 'payload_too_large', details: { limit: small.payloadBytes / 8 } };
  const withContext = [run(settled, 'completed', { context })];
  await expect(imported({}, withContext, small)).rejects.toMatchObject(refused);
  await expect(imported({}, [], small, { context })).rejects.toMatchObject(refused);
  await expect(imported({}, withContext)).resolves.toBeDefined();

  const asked = packFrame({ runUuid: active, agentId: 'agent', text: 'x'.repeat(300_000) });
  const goesOn = [run(active, 'running', { request: asked })];
  const tooMuch = { code: 'payload_too_large', details: { limit: small.payloadBytes } };
  await expect(imported({ resumeAs: admin }, goesOn, small)).rejects.toMatchObject(tooMuch);
  await expect(imported({}, goesOn, small)).resolves.toMatchObject({ report: { endedRuns: 1 } });
});

it('leaves a question open where the runs behind it had not begun', async () => {
  const asked = run(settled, 'interrupted', { interrupts: toBytes('[{"id":"i","value":1}]') });
  const behind = [run(active, 'running'), run(queued, 'running')];
  const { snapshot } = await imported({}, [asked, ...behind]);
  expect(snapshot.runs.map(({ status, isVoid }) => [status, isVoid])).toEqual([
    ['interrupted', undefined],
    ['cancelled', true],
    ['cancelled', true],
  ]);
});
