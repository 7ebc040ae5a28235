/** Checkpoints of sub-graphs that wait for an answer or have a memory, over HTTP, of agents in both languages. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();

interface Entry {
  checkpoint: { thread_id: string; checkpoint_ns: string; checkpoint_id: string };
  parent_checkpoint?: Entry['checkpoint'];
  values: Record<string, unknown>;
}

const history = (threadId: string, checkpoint_ns: string): Promise<Entry[]> =>
  send(url, 'POST', `/threads/${threadId}/history`, { checkpoint: { checkpoint_ns } });

describe.each(['review_py', 'review_ts'])('a sub-graph that asks (%s)', (agent) => {
  let threadId = '';
  let ns = '';

  beforeAll(async () => {
    threadId = await createThread(url);
    const body = { agent_id: agent, input: { text: 'it' } };
    const { run_id: runId } = await createRun(url, body, threadId);
    const run = await awaitRun(url, runId);
    if (run.status !== 'interrupted') throw new Error(JSON.stringify(run));
    const all = await history(threadId, '*');
    ns =
      all.find(({ checkpoint }) => checkpoint.checkpoint_ns !== '')?.checkpoint.checkpoint_ns ?? '';
  });

  it('has the entries of its namespace in the history, the newest first', async () => {
    expect(ns).toMatch(/^child:/);
    const [head, ...older] = await history(threadId, ns);
    expect(head).toMatchObject({
      checkpoint: { thread_id: threadId, checkpoint_ns: ns },
      values: { text: 'it drafted' },
    });
    expect(older.length).toBeGreaterThanOrEqual(1);
    for (const { checkpoint, values } of older) {
      expect(checkpoint).toMatchObject({ thread_id: threadId, checkpoint_ns: ns });
      expect(values).not.toMatchObject({ text: 'it drafted' });
    }
    const root = await history(threadId, '');
    expect(root.length).toBeGreaterThanOrEqual(1);
    for (const entry of root) {
      expect(entry).toMatchObject({ checkpoint: { checkpoint_ns: '' } });
      expect(entry.values).not.toMatchObject({ text: 'it drafted' });
    }
  });

  it('names the parent of a checkpoint while that is retained, in the same shape', async () => {
    for (const namespace of ['', ns]) {
      const entries = await history(threadId, namespace);
      expect(entries.length).toBeGreaterThan(1);
      for (const [index, { parent_checkpoint }] of entries.entries()) {
        expect(parent_checkpoint).toEqual(entries[index + 1]?.checkpoint);
      }
    }
  });

  it('has the head of its namespace as a state', async () => {
    const [head] = await history(threadId, ns);
    const path = `/threads/${threadId}/state/checkpoint`;
    const state = await send(url, 'POST', path, { checkpoint: { checkpoint_ns: ns } });
    expect(state).toMatchObject({
      thread_id: threadId,
      values: head?.values,
      checkpoint: head?.checkpoint,
    });
    expect(head?.values).toMatchObject({ text: 'it drafted' });
  });

  it('stays behind when the thread is copied: only the root goes along', async () => {
    const response = await send<RunResponse>(url, 'POST', `/threads/${threadId}/copy`, {});
    const copy = response.thread_id;
    const [head] = await history(threadId, '');
    expect(await history(copy, '*')).toMatchObject([
      { checkpoint: { thread_id: copy, checkpoint_ns: '' }, values: head?.values },
    ]);
    expect(await history(copy, ns)).toEqual([]);
    const path = `/threads/${copy}/state/checkpoint`;
    const body = { checkpoint: { checkpoint_ns: ns } };
    expect(await send(url, 'POST', path, body, [404])).toMatchObject({
      code: 'checkpoint_not_found',
    });
    // Not for want of anything to copy: the original still has it and continues from there.
    const resume = { agent_id: agent, command: { resume: 'yes' } };
    const { run_id: id } = await createRun(url, resume, threadId);
    expect(await awaitRun(url, id)).toMatchObject({
      status: 'completed',
      output: { text: 'it drafted published', answer: 'yes' },
    });
  });
});

it.each(['counter_py', 'counter_ts'])(
  'a sub-graph with a memory counts on when the runs that it counted are deleted (%s)',
  async (agent) => {
    const threadId = await createThread(url);
    const kept: string[] = [];
    for (const label of ['first', 'second', 'third']) {
      const body = { agent_id: agent, input: { label } };
      const { run_id: runId } = await createRun(url, body, threadId);
      kept.push(label);
      expect(await awaitRun(url, runId)).toMatchObject({
        status: 'completed',
        output: { seen: kept.length, kept },
      });
      await send(url, 'DELETE', `/runs/${runId}`);
      await send(url, 'GET', `/runs/${runId}`, undefined, [404]);
    }
  },
);
