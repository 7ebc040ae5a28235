// A real engine, and a thread that no worker serves: as with one whose workflow task keeps failing, the engine
// itself holds an Update for as long as it takes.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import { readFor } from '../../src/observability/reading-client.ts';
import { newThreadId } from '../../src/threads/new-ids.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';

let lab: EngineLab;
beforeAll(async () => (lab = await openEngineLab(inject('engine'), 'no-answer')));
afterAll(() => lab.close());

async function startUnanswered(): Promise<ThreadId> {
  const threadId = newThreadId();
  await lab.starter.start({
    kind: 'new',
    threadId,
    isEphemeral: false,
    createdAt: Date.now(),
    metadata: {},
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
  });
  return threadId;
}

it('gives up an Update to which its thread does not respond', async () => {
  const threadId = await startUnanswered();
  const patch = { metadata: { a: 'b' }, now: Date.now() };
  const limits = { patienceMs: 200, responseMs: 300 };
  await expect(lab.threads.update(threadId, 'patchMetadata', patch, limits)).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
});

it('ends a query with the client that it is for', async () => {
  const threadId = await startUnanswered();
  const client = new AbortController();
  const read = readFor(client.signal, () => lab.threads.query(threadId, 'thread'));
  // Its next read is under way as well, and neither gets a response.
  const beside = readFor(client.signal, () => lab.threads.query(threadId, 'runs'));
  const left = new ServiceError('invalid_request', 'The client disconnected.');
  setImmediate(() => client.abort(left));
  await expect(read).rejects.toBe(left);
  await expect(beside).rejects.toBe(left);
});
