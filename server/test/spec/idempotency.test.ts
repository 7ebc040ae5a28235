// Decisions, "retried POSTs": a client may repeat what creates a thread or a run.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { specService, textOf } from '../fixtures/spec-service.ts';
import { aFailure, aRunId } from '../fixtures/wire-patterns.ts';

const service = specService();
const body = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'once' }] } };

const keyed = (path: string, body: unknown, key: string) =>
  service.post(path, body, { 'Idempotency-Key': key });

describe('a request with an Idempotency-Key', () => {
  it('makes one run on a thread, also when it is sent ten times at once', async () => {
    const threadId = await service.thread();
    const [path, key] = [`/threads/${threadId}/runs`, randomUUID()];
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => keyed(`${path}?wait=30s`, body, key)),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map((response) => textOf(response, 'run_id'))).size).toBe(1);
    expect((await service.get(path)).body).toHaveLength(1);
    const late = await keyed(path, body, key);
    expect([late.status, late.body]).toMatchObject([202, { status: 'completed' }]);
    const other = await keyed(path, { ...body, metadata: {} }, key);
    expect([other.status, other.body]).toEqual([409, aFailure('idempotency_conflict')]);
  });

  it('makes one stateless run, also when it is sent ten times at once', async () => {
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => keyed('/runs/wait', body, key)),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map((response) => textOf(response, 'run_id'))).size).toBe(1);
    const other = await keyed('/runs/wait', { ...body, metadata: {} }, key);
    expect([other.status, other.body]).toEqual([409, aFailure('idempotency_conflict')]);
    const endpoint = await keyed('/runs', body, key);
    expect(textOf(endpoint, 'run_id')).not.toBe(responses[0] && textOf(responses[0], 'run_id'));
  });

  it('attaches a stream to its run, from the start', async () => {
    const options = {
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    };
    const first = await service.postStream('/runs/stream', body, options);
    const second = await service.postStream('/runs/stream', body, options);
    const chunks = ({ events }: typeof first) =>
      events.slice(1).map(({ id, event }) => [id, event]);
    expect(chunks(second)).toEqual(chunks(first));
    const started = ({ events: [start] }: typeof first): unknown => {
      const { run_id: runId } = (start?.data ?? {}) as { run_id?: string };
      return [start?.event, runId];
    };
    expect(started(first)).toEqual(['start', aRunId()]);
    expect(started(second)).toEqual(started(first));
    expect(second.events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
  });

  it.each([
    ['a generated id', () => ({ metadata: { a: '1' } })],
    ['its own id', () => ({ thread_id: `spec-${randomUUID()}`, metadata: { a: '1' } })],
  ])('makes one thread with %s', async (_name, make) => {
    const [body, key] = [make(), randomUUID()];
    const responses = await Promise.all([1, 2, 3].map(() => keyed('/threads', body, key)));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(responses.map((response) => textOf(response, 'thread_id'))).size).toBe(1);
    const other = await keyed('/threads', { metadata: { b: '2' } }, key);
    expect([other.status, other.body]).toEqual([409, aFailure('idempotency_conflict')]);
  });

  it.each([
    ['a generated id', () => ({})],
    ['its own id', () => ({ thread_id: `spec-${randomUUID()}` })],
  ])('makes one copy with %s', async (_name, make) => {
    const source = await service.thread({ kind: 'source' });
    const [path, body, key] = [`/threads/${source}/copy`, make(), randomUUID()];
    const first = await keyed(path, body, key);
    const second = await keyed(path, body, key);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    const other = await keyed(path, { thread_id: `spec-${randomUUID()}` }, key);
    expect([other.status, other.body]).toEqual([409, aFailure('idempotency_conflict')]);
  });

  it('may be sent again once what it made is deleted', async () => {
    const key = randomUUID();
    const first = await keyed('/runs/wait', body, key);
    await service.delete(`/runs/${textOf(first, 'run_id')}`);
    const second = await keyed('/runs/wait', { ...body, metadata: { again: true } }, key);
    expect([second.status, second.body]).toMatchObject([200, { metadata: { again: true } }]);
  });

  it.each(['two words', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    const response = await keyed('/threads', {}, key);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });
});
