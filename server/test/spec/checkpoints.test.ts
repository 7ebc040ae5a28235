// Specification, chapter "Endpoints: State", reads at a checkpoint; "Endpoints: Threads", POST history.
import { describe, expect, it } from 'vitest';
import { specService, textOf } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();
const refund = (order: string): unknown => ({
  agent_id: 'approval',
  input: { order, amount: 20 },
});

interface Entry {
  checkpoint: { thread_id: string; checkpoint_ns: string; checkpoint_id: string };
  values: Record<string, unknown>;
}

/** A thread with two runs, and its history. */
async function twoRuns(): Promise<{ threadId: string; newest: Entry; older: Entry }> {
  const threadId = await service.thread();
  await service.post(`/threads/${threadId}/runs?wait=30s`, refund('1'));
  await service.post(`/threads/${threadId}/runs?wait=30s`, refund('2'));
  const { body } = await service.get(`/threads/${threadId}/history`);
  const [newest, older] = body as Entry[]; // as the contract defines
  if (!newest || !older) throw new Error('two runs leave two checkpoints');
  return { threadId, newest, older };
}

const targeted = (threadId: string): string => `/threads/${threadId}/state/checkpoint`;

describe('POST /threads/{thread_id}/state/checkpoint', () => {
  it('has the head of the root namespace when nothing is named, with its checkpoint', async () => {
    const { threadId, newest } = await twoRuns();
    for (const checkpoint of [
      undefined,
      null,
      {},
      { checkpoint_ns: '' },
      { checkpoint_id: '' },
      { checkpoint_ns: null, checkpoint_id: null },
    ]) {
      const response = await service.post(targeted(threadId), { checkpoint });
      expect([response.status, response.body]).toEqual([
        200,
        { thread_id: threadId, values: newest.values, checkpoint: newest.checkpoint },
      ]);
    }
  });

  it('has the checkpoint that is named, whatever the namespace and `subgraphs` are', async () => {
    const { threadId, older } = await twoRuns();
    for (const subgraphs of [true, 'yes', 7, [], null]) {
      const checkpoint = {
        checkpoint_id: older.checkpoint.checkpoint_id,
        checkpoint_ns: 'elsewhere',
      };
      const response = await service.post(targeted(threadId), { checkpoint, subgraphs });
      expect([response.status, response.body]).toEqual([
        200,
        { thread_id: threadId, values: older.values, checkpoint: older.checkpoint },
      ]);
    }
  });

  it('responds with 404 for what the thread does not retain', async () => {
    const { threadId } = await twoRuns();
    const fresh = await service.thread();
    for (const [thread, checkpoint] of [
      [threadId, { checkpoint_id: 'missing' }],
      [threadId, { checkpoint_ns: 'nowhere' }],
      [fresh, {}],
    ] as const) {
      const response = await service.post(targeted(thread), { checkpoint });
      expect([response.status, response.body]).toEqual([404, aFailure('checkpoint_not_found')]);
    }
    const response = await service.post(targeted('spec-missing'), {});
    expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
  });

  it.each([
    { checkpoint: 'x' },
    { checkpoint: { checkpoint_id: 7 } },
    { checkpoint: { checkpoint_ns: [] } },
  ])('responds with 400 for %j', async (body) => {
    const response = await service.post(targeted(await service.thread()), body);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });
});

describe('GET /threads/{thread_id}/state/{checkpoint_id}', () => {
  it('has the state of every retained checkpoint, with messages where the state tracks them', async () => {
    const { threadId, newest, older } = await twoRuns();
    for (const { checkpoint, values } of [newest, older]) {
      const path = `/threads/${threadId}/state/${checkpoint.checkpoint_id}`;
      for (const query of ['', '?subgraphs=true', '?subgraphs=yes']) {
        const response = await service.get(path + query);
        expect([response.status, response.body]).toEqual([
          200,
          { thread_id: threadId, values, checkpoint },
        ]);
      }
    }
    const chat = await service.thread();
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    await service.post(`/threads/${chat}/runs?wait=30s`, { agent_id: 'chat', input });
    const head = await service.post(targeted(chat), {});
    const { checkpoint } = head.body as Entry; // as the contract defines
    const { body } = await service.get(`/threads/${chat}/state/${checkpoint.checkpoint_id}`);
    expect(body).toEqual(head.body);
    expect(body).toMatchObject({
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'You said: "hello".' },
      ],
    });
  });

  it('responds with 404 for what the thread does not retain', async () => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/state/missing`);
    expect([response.status, response.body]).toEqual([404, aFailure('checkpoint_not_found')]);
    const ofMissing = await service.get('/threads/spec-missing/state/missing');
    expect([ofMissing.status, ofMissing.body]).toEqual([404, aFailure('thread_not_found')]);
  });

  it('shows the questions of an interrupted thread at its head', async () => {
    const threadId = await service.thread();
    const ask = { agent_id: 'approval', input: { order: '9', amount: 500 } };
    await service.post(`/threads/${threadId}/runs?wait=30s`, ask);
    const head = await service.post(targeted(threadId), {});
    expect(head.body).toMatchObject({
      interrupts: [{ id: expect.any(String), value: { order: '9', amount: 500 } }],
    });
  });
});

describe('POST /threads/{thread_id}/history', () => {
  it('has what GET has, and takes metadata and subgraphs without filtering', async () => {
    const { threadId, newest, older } = await twoRuns();
    const all = await service.get(`/threads/${threadId}/history`);
    for (const body of [
      undefined,
      {},
      { metadata: { no: 'such' } },
      { checkpoint: { checkpoint_ns: '' }, before: null, limit: 1000 },
      { checkpoint: null, subgraphs: 'yes' },
    ]) {
      const response = await service.post(`/threads/${threadId}/history`, body);
      expect([response.status, response.body]).toEqual([200, all.body]);
    }
    expect(all.body).toEqual([newest, older]);
  });

  it('has at most `limit`, and strictly older entries than `before`', async () => {
    const { threadId, newest, older } = await twoRuns();
    const history = async (body: unknown): Promise<unknown> =>
      (await service.post(`/threads/${threadId}/history`, body)).body;
    expect(await history({ limit: 1 })).toEqual([newest]);
    expect(await history({ before: newest.checkpoint.checkpoint_id })).toEqual([older]);
    expect(await history({ before: older.checkpoint.checkpoint_id })).toEqual([]);
  });

  it('has one namespace, or with the extension all of them', async () => {
    const { threadId, newest, older } = await twoRuns();
    const path = `/threads/${threadId}/history`;
    const elsewhere = { checkpoint: { checkpoint_ns: 'nowhere' } };
    expect((await service.post(path, elsewhere)).body).toEqual([]);
    expect((await service.get(`${path}?checkpoint_ns=nowhere`)).body).toEqual([]);
    const everywhere = { checkpoint: { checkpoint_ns: '*' } };
    expect((await service.post(path, everywhere)).body).toEqual([newest, older]);
    expect((await service.get(`${path}?checkpoint_ns=*`)).body).toEqual([newest, older]);
  });

  it('omits the parent that is no longer retained', async () => {
    const { newest, older } = await twoRuns();
    expect(newest).not.toHaveProperty('parent_checkpoint');
    expect(older).not.toHaveProperty('parent_checkpoint');
  });

  it.each([
    { limit: 0 },
    { limit: 1001 },
    { limit: '10' },
    { limit: 1.5 },
    { before: 7 },
    { metadata: 'x' },
    { checkpoint: 'x' },
    { checkpoint: { checkpoint_ns: 7 } },
  ])('responds with 400 for %j', async (body) => {
    const response = await service.post(`/threads/${await service.thread()}/history`, body);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });

  it('responds with 404 for a thread that does not exist', async () => {
    const response = await service.post('/threads/spec-missing/history', {});
    expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
    expect(textOf(response, 'code')).toBe('thread_not_found');
  });
});
