// Specification, chapters "Thread" and "Endpoints: Threads".
import { describe, expect, it } from 'vitest';
import { specService } from '../fixtures/spec-service.ts';
import { aFailure, aTimestamp, aUuid } from '../fixtures/wire-patterns.ts';

const service = specService();

describe('POST /threads', () => {
  it('responds with 201 and an idle thread, without values', async () => {
    const response = await service.post('/threads');
    expect([response.status, response.body]).toEqual([
      201,
      {
        thread_id: aUuid,
        status: 'idle',
        created_at: aTimestamp,
        updated_at: aTimestamp,
        metadata: {},
      },
    ]);
  });

  it('converts metadata values that are no strings to strings', async () => {
    const metadata = { text: 'a', number: 1.5, flag: false, list: [1, 'b'], map: { c: null } };
    const threadId = await service.thread(metadata);
    const { body } = await service.get(`/threads/${threadId}`);
    expect(body).toMatchObject({
      metadata: { text: 'a', number: '1.5', flag: 'false', list: '[1,"b"]', map: '{"c":null}' },
    });
  });

  it('responds with 409 for a taken id', async () => {
    const threadId = await service.thread();
    const response = await service.post('/threads', { thread_id: threadId });
    expect([response.status, response.body]).toEqual([409, aFailure('thread_exists')]);
    const existing = await service.post('/threads', {
      thread_id: threadId,
      if_exists: 'do_nothing',
    });
    expect([existing.status, existing.body]).toMatchObject([200, { thread_id: threadId }]);
  });
});

describe('GET /threads/{thread_id}', () => {
  it('has the state values', async () => {
    const threadId = await service.thread();
    expect((await service.get(`/threads/${threadId}`)).body).toEqual({
      thread_id: threadId,
      status: 'idle',
      created_at: aTimestamp,
      updated_at: aTimestamp,
      metadata: {},
      values: {},
      // An extension.
      last_activity_at: aTimestamp,
    });
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    await service.post(`/threads/${threadId}/runs?wait=30s`, { agent_id: 'chat', input });
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({
      status: 'idle',
      values: { messages: [{ content: 'hello' }, { content: 'You said: "hello".' }] },
    });
  });

  it('responds with 404 for a thread that does not exist', async () => {
    const response = await service.get('/threads/spec-missing');
    expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
  });
});

describe('PATCH /threads/{thread_id}', () => {
  it('merges metadata and returns with the zero time as created_at', async () => {
    const threadId = await service.thread({ kept: 'yes', changed: 'no' });
    const response = await service.patch(`/threads/${threadId}`, { metadata: { changed: 1 } });
    expect([response.status, response.body]).toEqual([
      200,
      {
        thread_id: threadId,
        status: 'idle',
        created_at: '0001-01-01T00:00:00Z',
        updated_at: aTimestamp,
        metadata: { kept: 'yes', changed: '1' },
      },
    ]);
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({
      created_at: aTimestamp,
      metadata: { kept: 'yes', changed: '1' },
    });
  });

  it('rejects missing and empty metadata', async () => {
    const threadId = await service.thread();
    for (const body of [{}, { metadata: {} }]) {
      const response = await service.patch(`/threads/${threadId}`, body);
      expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
    }
  });
});

describe('DELETE /threads/{thread_id}', () => {
  it('responds with 204 and nothing; the thread is gone and its id free', async () => {
    const threadId = await service.thread();
    const response = await service.delete(`/threads/${threadId}`);
    expect([response.status, response.body]).toEqual([204, undefined]);
    expect((await service.get(`/threads/${threadId}`)).status).toBe(404);
    expect((await service.delete(`/threads/${threadId}`)).status).toBe(404);
    expect((await service.post('/threads', { thread_id: threadId })).status).toBe(201);
  });

  it('ends the run that is active on it', async () => {
    const threadId = await service.thread();
    const input = { question: 'durable agents', delay: 30 };
    await service.post(`/threads/${threadId}/runs`, { agent_id: 'research', input });
    expect((await service.delete(`/threads/${threadId}`)).status).toBe(204);
    expect((await service.get(`/threads/${threadId}`)).status).toBe(404);
  });
});
