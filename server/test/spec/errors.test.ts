// Specification, chapter "Errors", and the decisions about them.
import { describe, expect, it } from 'vitest';
import { textOf, specService } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();

async function send(
  method: string,
  path: string,
  body: string,
  contentType = 'application/json',
): Promise<[number, unknown, string | null]> {
  const headers = { 'Content-Type': contentType };
  const response = await fetch(service.url(path), { method, headers, body });
  return [response.status, await response.json(), response.headers.get('allow')];
}

describe('bad input', () => {
  it.each([
    ['malformed JSON', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['a wrong type', '{"input":5,"metadata":5,"thread_id":5}'],
    ['a nesting without end', `{"metadata":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`],
  ])('responds with 400 for %s', async (_what, body) => {
    const threadId = await service.thread();
    for (const path of [
      '/threads',
      `/threads/${threadId}/runs`,
      '/runs',
      '/runs/wait',
      '/runs/stream',
    ]) {
      expect((await send('POST', path, body)).slice(0, 2)).toEqual([
        400,
        aFailure('invalid_request'),
      ]);
    }
  });

  it('names every issue with its path', async () => {
    const response = await service.post('/runs', {
      metadata: [],
      config: { recursion_limit: 'x' },
    });
    expect(response.body).toMatchObject({
      metadata: {
        issues: [
          { path: 'metadata', message: expect.any(String) },
          { path: 'config.recursion_limit', message: expect.any(String) },
        ],
      },
    });
  });

  it('responds with 415 for other media types, 405 with Allow for other methods', async () => {
    expect(
      (await send('POST', '/threads', 'a=b', 'application/x-www-form-urlencoded')).slice(0, 2),
    ).toEqual([415, aFailure('unsupported_media_type')]);
    expect(await send('PUT', '/threads', '{}')).toEqual([
      405,
      aFailure('method_not_allowed'),
      'POST',
    ]);
  });

  it('responds with 413 for a body over the limit', async () => {
    const body = JSON.stringify({ metadata: { big: 'x'.repeat(70 * 1024 * 1024) } });
    expect((await send('POST', '/threads', body)).slice(0, 2)).toEqual([
      413,
      aFailure('payload_too_large'),
    ]);
  });

  it('responds with 413 for a run input over the ceiling, and makes no run', async () => {
    const threadId = await service.thread();
    const input = { messages: [{ role: 'user', content: 'x'.repeat(7 * 1024 * 1024) }] };
    const response = await service.post(`/threads/${threadId}/runs`, { agent_id: 'chat', input });
    expect([response.status, response.body]).toEqual([413, aFailure('payload_too_large')]);
    expect((await service.get(`/threads/${threadId}/runs`)).body).toEqual([]);
  });

  it('responds to odd paths and ids with a documented error', async () => {
    for (const id of ['%', '%zz', '%00', '__proto__', 'x'.repeat(5_000), 'a%20b']) {
      for (const path of [
        `/threads/${id}`,
        `/threads/${id}/runs`,
        `/runs/${id}`,
        `/agents/${id}`,
      ]) {
        const { status, body } = await service.get(path);
        expect([400, 404]).toContain(status);
        expect(body).toMatchObject({ code: expect.any(String), metadata: expect.any(Object) });
      }
    }
  });

  it('loses nothing: the thread works afterwards', async () => {
    const threadId = await service.thread();
    await send('POST', `/threads/${threadId}/runs`, '{"input":');
    const input = { messages: [{ role: 'user', content: 'still there?' }] };
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, {
      agent_id: 'chat',
      input,
    });
    expect(textOf(response, 'status')).toBe('completed');
  });
});
