// Specification, chapter "Limits", as far as HTTP shows them.
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();

describe('list limits', () => {
  it.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=ten', 'limit=1.5', 'limit='])(
    'refuses %s',
    async (query) => {
      const threadId = await service.thread();
      for (const list of ['runs', 'history']) {
        const response = await service.get(`/threads/${threadId}/${list}?${query}`);
        expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
      }
    },
  );

  it.each(['limit=1', 'limit=1000', 'limit=5&offset=100'])('takes %s', async (query) => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/runs?${query}`);
    expect([response.status, response.body]).toEqual([200, []]);
  });

  it('refuses a negative offset', async () => {
    const threadId = await service.thread();
    const response = await service.get(`/threads/${threadId}/runs?offset=-1`);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });
});

describe('wait', () => {
  it.each(['wait=soon', 'wait=', 'wait=-1s', 'wait=1.5', 'timeout=1x'])(
    'refuses %s',
    async (query) => {
      const response = await service.post(`/runs/wait?${query}`, {});
      expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
    },
  );

  it('takes more than ten minutes', async () => {
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    for (const query of ['wait=11m', 'wait=99999999', 'timeout=24h']) {
      const response = await service.post(`/runs/wait?${query}`, { agent_id: 'chat', input });
      expect([response.status, response.body]).toMatchObject([200, { status: 'completed' }]);
    }
  });

  it('is no wait on create when it is 0, and 504 at once on the wait endpoints', async () => {
    const threadId = await service.thread();
    const slow = { agent_id: 'research', input: { question: 'durable', delay: 20 } };
    expect((await service.post(`/threads/${threadId}/runs?wait=0`, slow)).status).toBe(202);
    const response = await service.post('/runs/wait?wait=0', slow);
    expect([response.status, response.body]).toEqual([504, aFailure('wait_elapsed')]);
    await service.delete(`/threads/${threadId}`);
  });
});
