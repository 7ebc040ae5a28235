// Specification, chapters "State", "History entry" and "Endpoints: State".
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure, aTimestamp } from '../fixtures/wire-patterns.ts';

const service = specService();
const hello = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };

describe('GET /threads/{thread_id}/state', () => {
  it('has empty values for a thread that never ran', async () => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/state`);
    expect([response.status, response.body]).toEqual([200, { thread_id: threadId, values: {} }]);
  });

  it('has values and messages, and neither checkpoint nor next', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const { body } = await service.get(`/threads/${threadId}/state`);
    expect(body).toMatchObject({
      thread_id: threadId,
      values: {
        messages: [
          { type: 'human', content: 'hello' },
          { type: 'ai', content: 'You said: "hello".' },
        ],
      },
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'You said: "hello".' },
      ],
    });
    expect(body).not.toHaveProperty('checkpoint');
    expect(body).not.toHaveProperty('next');
  });

  it('has no messages when the state tracks none', async () => {
    const threadId = await service.thread();
    const input = { order: '7', amount: 20 };
    await service.post(`/threads/${threadId}/runs?wait=30s`, { agent_id: 'approval', input });
    const { body } = await service.get(`/threads/${threadId}/state`);
    expect(body).toEqual({
      thread_id: threadId,
      values: {
        ...input,
        approved: true,
        approved_by: 'rule',
        result: 'Refunded 20.00 for order 7.',
      },
    });
  });

  it.each(['true', 'false', 'yes', '1', ''])('takes subgraphs=%s without effect', async (value) => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/state?subgraphs=${value}`);
    expect([response.status, response.body]).toEqual([200, { thread_id: threadId, values: {} }]);
  });

  it('responds with 404 for a thread that does not exist', async () => {
    for (const path of ['state', 'history']) {
      const response = await service.get(`/threads/spec-missing/${path}`);
      expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
    }
  });
});

describe('GET /threads/{thread_id}/history', () => {
  it('is empty for a thread that never ran', async () => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/history`);
    expect([response.status, response.body]).toEqual([200, []]);
  });

  it('has the retained checkpoints, most recent first', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const { status, body } = await service.get(`/threads/${threadId}/history`);
    expect(status).toBe(200);
    const entries = body as { created_at: string; checkpoint: { checkpoint_id: string } }[];
    expect(entries.length).toBeGreaterThanOrEqual(1);
    expect(entries[0]).toMatchObject({
      checkpoint: {
        thread_id: threadId,
        checkpoint_ns: '',
        checkpoint_id: expect.stringMatching(/\S/),
      },
      values: { messages: [{}, {}, {}, {}] },
      metadata: expect.any(Object),
      created_at: aTimestamp,
    });
    const times = entries.map((entry) => entry.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const one = await service.get(`/threads/${threadId}/history?limit=1`);
    expect(one.body).toEqual(entries.slice(0, 1));
  });
});
