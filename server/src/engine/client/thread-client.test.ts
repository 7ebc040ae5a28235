import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { ServiceError } from '../../errors/service-error.ts';
import { packFrame, unpackFrame } from '../../model/frame.ts';
import type { ThreadId } from '../../model/ids.ts';
import { CALL_PATIENCE_MS } from './calls.ts';
import type { EngineConnection } from './connection.ts';
import { ThreadClient } from './thread-client.ts';

const threadId = 't' as ThreadId; // a valid id

interface SentUpdate {
  name: string;
  updateId: string;
}

/** The thread's end of the connection, as the test plays it. */
interface PlayedThread {
  update?(sent: SentUpdate, count: number): Promise<Uint8Array>;
  query?(name: string, count: number): Promise<Uint8Array>;
  /** Whether its workflow, open or closed, is known to the engine. */
  exists?: boolean;
}

function connect(thread: PlayedThread, isForeign = false) {
  const updates: SentUpdate[] = [];
  const queries: string[] = [];
  const handle = {
    executeUpdate(name: string, { updateId }: { updateId: string }) {
      updates.push({ name, updateId });
      return thread.update?.({ name, updateId }, updates.length);
    },
    query(name: string) {
      queries.push(name);
      return thread.query?.(name, queries.length);
    },
    describe: () => (thread.exists === true ? Promise.resolve({}) : Promise.reject(gone())),
  };
  const connection = {
    isForeign,
    client: {
      workflow: { getHandle: () => handle },
      connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
    },
  } as unknown as EngineConnection; // as much of one as a call needs
  return { connection, updates, queries };
}

const gone = (): Error => new WorkflowNotFoundError('not found', 'thread-t', undefined);
const refused = (code: string): Error =>
  new WorkflowUpdateFailedError('refused', ApplicationFailure.nonRetryable('no', code));
const unavailable = (): Error => new ServiceError('engine_unavailable', 'Unavailable.');

it('repeats an Update with its id, so that the thread applies it once', async () => {
  const { connection, updates } = connect({
    update: (_, count) =>
      count < 3 ? Promise.reject(unavailable()) : Promise.resolve(packFrame('taken')),
  });
  const frame = await new ThreadClient(connection).update(threadId, 'applyBatch', {});
  expect(unpackFrame(frame)).toBe('taken');
  expect(updates).toHaveLength(3);
  expect(new Set(updates.map(({ updateId }) => updateId)).size).toBe(1);
});

it('sends once more what an active run made the thread refuse, after the thread has taken its end', async () => {
  const { connection, updates, queries } = connect({
    update: (_, count) =>
      count === 1 ? Promise.reject(refused('run_active')) : Promise.resolve(packFrame('deleted')),
    query: () => Promise.resolve(packFrame({ runs: [], total: 0 })),
  });
  await new ThreadClient(connection).update(threadId, 'deleteRun', {});
  expect(queries).toEqual(['runs']);
  expect(updates).toHaveLength(2);
  expect(updates[0]?.updateId).not.toBe(updates[1]?.updateId);
});

it.each([
  ['for another reason', 'createRun', 'payload_too_large', []],
  ['for good, while the run is still active', 'deleteRun', 'run_active', ['runs']],
] as const)('passes on what the thread refuses %s', async (_, name, code, asked) => {
  const { connection, queries } = connect({
    update: () => Promise.reject(refused(code)),
    query: () => Promise.resolve(packFrame({ runs: [], total: 0 })),
  });
  const sent = new ThreadClient(connection).update(threadId, name, {});
  await expect(sent).rejects.toMatchObject({ code, message: 'no' });
  expect(queries).toEqual(asked);
});

it.each([
  ['thread_not_found', false],
  ['thread_stopped', true],
])('reports %s for a thread without an open workflow', async (code, exists) => {
  const { connection } = connect({ update: () => Promise.reject(gone()), exists });
  const sent = new ThreadClient(connection).update(threadId, 'patchMetadata', {});
  await expect(sent).rejects.toMatchObject({ code });
});

it('reports a state that is too large to read back, with its size and the limit', async () => {
  const tooLarge = { size: 5, limit: 4 };
  const { connection } = connect({ query: () => Promise.resolve(packFrame({ tooLarge })) });
  const reported: string[] = [];
  const threads = new ThreadClient(connection, (name) => reported.push(name));
  await expect(threads.query(threadId, 'checkpoints')).rejects.toMatchObject({
    code: 'state_too_large',
    details: tooLarge,
  });
  expect(reported).toEqual(['checkpoints']);
});

it('asks a foreign cluster one query of a thread at a time', async () => {
  let [now, most] = [0, 0];
  const { connection } = connect(
    {
      async query() {
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
        return packFrame('state');
      },
    },
    true,
  );
  const threads = new ThreadClient(connection);
  await Promise.all([1, 2, 3].map(() => threads.query(threadId, 'thread')));
  expect(most).toBe(1);
});

it('gives up reading soon while the disk is full and the engine does not read', async () => {
  const { connection } = connect({ query: () => Promise.reject(unavailable()) });
  const threads = new ThreadClient(connection, undefined, undefined, { isFull: () => true });
  const begin = performance.now();
  await expect(threads.query(threadId, 'thread')).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  expect(performance.now() - begin).toBeLessThan(CALL_PATIENCE_MS / 2);
});
