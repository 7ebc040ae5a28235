// Specification, chapter "Endpoints: Threads", copy; extension `checkpoint` of the decisions.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { specService, textOf } from '../fixtures/spec-service.ts';
import { aFailure, aTimestamp, aUuid } from '../fixtures/wire-patterns.ts';

const service = specService();
const hello = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };
const ask = { agent_id: 'approval', input: { order: '9', amount: 500 } };

const valuesOf = async (threadId: string): Promise<unknown> =>
  ((await service.get(`/threads/${threadId}/state`)).body as { values: unknown }).values; // the contract

describe('POST /threads/{thread_id}/copy', () => {
  it('responds with 201 and a new idle thread without values, with the metadata and the state', async () => {
    const threadId = await service.thread({ team: 'a' });
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const response = await service.post(`/threads/${threadId}/copy`);
    expect([response.status, response.body]).toEqual([
      201,
      {
        thread_id: aUuid,
        status: 'idle',
        created_at: aTimestamp,
        updated_at: aTimestamp,
        metadata: { team: 'a' },
        copied_from: { thread_id: threadId, checkpoint_id: aUuid, step: 1 },
      },
    ]);
    const copy = textOf(response, 'thread_id');
    const copiedFrom = { thread_id: threadId, checkpoint_id: aUuid, step: 1 };
    expect((await service.get(`/threads/${copy}`)).body).toMatchObject({ copied_from: copiedFrom });
    expect(await valuesOf(copy)).toEqual(await valuesOf(threadId));
    const { body } = await service.get(`/threads/${copy}/history`);
    expect(body).toMatchObject([{ checkpoint: { thread_id: copy, checkpoint_ns: '' } }]);
    expect((await service.get(`/threads/${copy}/runs`)).body).toEqual([]);
  });

  it('takes the id of the copy; 409 when it is taken', async () => {
    const threadId = await service.thread();
    const copy = `spec-${randomUUID()}`;
    const response = await service.post(`/threads/${threadId}/copy`, { thread_id: copy });
    expect([response.status, response.body]).toMatchObject([201, { thread_id: copy }]);
    for (const taken of [copy, threadId]) {
      const again = await service.post(`/threads/${threadId}/copy`, { thread_id: taken });
      expect([again.status, again.body]).toEqual([409, aFailure('thread_exists')]);
    }
  });

  it('works on a thread that never ran', async () => {
    const threadId = await service.thread({ team: 'a' });
    const response = await service.post(`/threads/${threadId}/copy`, {});
    expect(response.status).toBe(201);
    const copy = textOf(response, 'thread_id');
    expect((await service.get(`/threads/${copy}`)).body).toMatchObject({
      status: 'idle',
      metadata: { team: 'a' },
      values: {},
    });
  });

  it('makes an independent thread: each goes its own way, and each is deleted alone', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const before = await valuesOf(threadId);
    const copy = textOf(await service.post(`/threads/${threadId}/copy`), 'thread_id');
    const run = await service.post(`/threads/${copy}/runs?wait=30s`, hello);
    expect(run.body).toMatchObject({ status: 'completed', output: { messages: [{}, {}, {}, {}] } });
    expect(await valuesOf(threadId)).toEqual(before);
    await service.delete(`/threads/${threadId}`);
    expect(await valuesOf(copy)).toMatchObject({ messages: [{}, {}, {}, {}] });
    expect((await service.delete(`/threads/${copy}`)).status).toBe(204);
  });

  it('copies an older checkpoint when it is named', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const { body } = await service.post(`/threads/${threadId}/state/checkpoint`, {});
    const { checkpoint } = body as { checkpoint: { checkpoint_id: string } }; // the contract
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const path = `/threads/${threadId}/copy`;
    const copy = textOf(await service.post(path, { checkpoint }), 'thread_id');
    expect(await valuesOf(copy)).toMatchObject({ messages: [{}, {}] });
    const response = await service.post(path, { checkpoint: { checkpoint_id: 'missing' } });
    expect([response.status, response.body]).toEqual([404, aFailure('checkpoint_not_found')]);
  });

  it('carries a question that can be answered on the copy, and still on its source', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, ask);
    const copy = textOf(await service.post(`/threads/${threadId}/copy`), 'thread_id');
    const source = await service.get(`/threads/${threadId}`);
    const { interrupts } = source.body as { interrupts: unknown }; // interrupted
    expect((await service.get(`/threads/${copy}`)).body).toMatchObject({
      status: 'idle',
      interrupts,
    });
    for (const [thread, by] of [
      [copy, 'Ada'],
      [threadId, 'Grace'],
    ] as const) {
      const resume = { agent_id: 'approval', command: { resume: { approved: true, by } } };
      const run = await service.post(`/threads/${thread}/runs?wait=30s`, resume);
      expect(run.body).toMatchObject({ status: 'completed', output: { approved_by: by } });
    }
    expect((await service.get(`/threads/${copy}`)).body).not.toHaveProperty('interrupts');
  });

  it('makes an ordinary thread of the thread of a stateless run', async () => {
    const run = await service.post('/runs/wait', hello);
    const copied = await service.post(`/threads/${textOf(run, 'thread_id')}/copy`);
    expect(copied.status).toBe(201);
    const again = await service.post(
      `/threads/${textOf(copied, 'thread_id')}/runs?wait=30s`,
      hello,
    );
    expect(again.body).toMatchObject({ output: { messages: [{}, {}, {}, {}] } });
  });

  it('refuses an answer where no question came along', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const copy = textOf(await service.post(`/threads/${threadId}/copy`), 'thread_id');
    const resume = { agent_id: 'chat', command: { resume: true } };
    const response = await service.post(`/threads/${copy}/runs?wait=30s`, resume);
    expect([response.status, response.body]).toEqual([409, aFailure('not_interrupted')]);
  });

  it.each([
    { thread_id: 'a b' },
    { thread_id: 7 },
    { checkpoint: 'x' },
    { checkpoint: {} },
    { checkpoint: { checkpoint_id: 'x', checkpoint_ns: 'child:1' } },
  ])('responds with 400 for %j', async (body) => {
    const response = await service.post(`/threads/${await service.thread()}/copy`, body);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });

  it('responds with 404 for a thread that does not exist', async () => {
    const response = await service.post('/threads/spec-missing/copy', {});
    expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
  });
});
