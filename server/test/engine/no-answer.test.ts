// A real engine, and a thread that no worker answers for: as with one whose workflow task keeps failing, the engine
// itself holds an Update for as long as it takes.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { newThreadId } from '../../src/threads/new-ids.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';

let lab: EngineLab;
beforeAll(async () => (lab = await openEngineLab(inject('engine'), 'no-answer')));
afterAll(() => lab.close());

it('gives an Update up that its thread does not answer', async () => {
  const threadId = newThreadId();
  await lab.starter.start({
    kind: 'new',
    threadId,
    isEphemeral: false,
    createdAt: Date.now(),
    metadata: {},
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1_000, maxCheckpointBytes: 0 },
  });
  const patch = { metadata: { a: 'b' }, now: Date.now() };
  const limits = { patienceMs: 200, answerMs: 300 };
  await expect(lab.threads.update(threadId, 'patchMetadata', patch, limits)).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
});
