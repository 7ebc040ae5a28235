// Specification, chapters "Run" and "Endpoints: Runs in a thread".
import { describe, expect, it } from 'vitest';
import { textOf, specService } from '../fixtures/spec-service.ts';
import { aFailure, aRunId, aTimestamp } from '../fixtures/wire-patterns.ts';

const service = specService();
const bodyOf = (content: string) => ({
  agent_id: 'chat',
  input: { messages: [{ role: 'user', content }] },
});
const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 30 } };

describe('POST /threads/{thread_id}/runs', () => {
  it('responds with 202 and a running run: no output, no input, no restart history', async () => {
    const threadId = await service.thread();
    const response = await service.post(`/threads/${threadId}/runs`, {
      ...bodyOf('hello'),
      metadata: { source: 'spec' },
    });
    expect([response.status, response.body]).toEqual([
      202,
      {
        run_id: aRunId(threadId),
        thread_id: threadId,
        status: 'running',
        created_at: aTimestamp,
        updated_at: aTimestamp,
        metadata: { source: 'spec' },
        agent_id: 'chat',
        agent_version: expect.stringMatching(/^([0-9a-f]{40}|sha256:[0-9a-f]{64})$/),
        max_attempts: expect.any(Number),
      },
    ]);
  });

  it('takes any key in metadata and config for what it is', async () => {
    const threadId = await service.thread();
    const strange = { $bytes: 7, nested: [{ $bytes: 1, $$bytes: 'x' }] };
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, {
      ...bodyOf('hello'),
      metadata: strange,
      config: { configurable: { strange } },
    });
    expect(response.body).toMatchObject({ status: 'completed', metadata: strange });
    const { body } = await service.get(`/threads/${threadId}/runs`);
    expect(body).toMatchObject([{ metadata: strange }]);
  });

  it.each(['wait=30s', 'wait=30', 'timeout=1m', 'wait=20m'])(
    'responds with 200 and the output for %s',
    async (query) => {
      const threadId = await service.thread();
      const response = await service.post(`/threads/${threadId}/runs?${query}`, bodyOf('hello'));
      expect([response.status, response.body]).toMatchObject([
        200,
        {
          status: 'completed',
          output: { messages: [{ content: 'hello' }, { content: 'You said: "hello".' }] },
        },
      ]);
      expect(response.body).not.toHaveProperty('attempt');
      expect(response.body).not.toHaveProperty('last_failure');
      expect(response.body).not.toHaveProperty('error');
    },
  );

  it('responds with 504 when the window elapses first, and does not cancel the run', async () => {
    const threadId = await service.thread();
    const response = await service.post(`/threads/${threadId}/runs?wait=300ms`, slow);
    expect([response.status, response.body]).toEqual([504, aFailure('wait_elapsed')]);
    const { metadata } = response.body as { metadata: { run_id: string } };
    expect(response.headers.get('location')).toBe(`/runs/${metadata.run_id}`);
    expect((await service.get(`/runs/${metadata.run_id}`)).body).toMatchObject({
      status: 'running',
    });
    await service.delete(`/threads/${threadId}`);
  });

  it('runs the first agent of the manifest when none is named, and never for an unknown one', async () => {
    const threadId = await service.thread();
    const { body: agents } = await service.get('/agents');
    const [first] = agents as { agent_id: string }[];
    const { input } = bodyOf('hello');
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, { input });
    expect(response.body).toMatchObject({ agent_id: first?.agent_id });
    const unknown = await service.post(`/threads/${threadId}/runs`, { agent_id: 'missing' });
    expect([unknown.status, unknown.body]).toEqual([404, aFailure('agent_not_found')]);
  });

  it('keeps the state of a thread from run to run', async () => {
    const threadId = await service.thread();
    await service.post(`/threads/${threadId}/runs?wait=30s`, bodyOf('one'));
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, bodyOf('two'));
    const last = 'You said: "two". Before that you said: "one". That makes 2 messages.';
    expect(response.body).toMatchObject({
      output: { messages: [{}, {}, { content: 'two' }, { content: last }] },
    });
  });

  it('queues a second run behind the first, and keeps their order', async () => {
    const threadId = await service.thread();
    const path = `/threads/${threadId}/runs`;
    const runs = [];
    for (const word of ['one', 'two', 'three']) runs.push(await service.post(path, bodyOf(word)));
    expect(runs.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(runs.map((run) => textOf(run, 'status'))).toEqual(['running', 'running', 'running']);
    const last = textOf(runs[2] ?? { status: 0, headers: new Headers(), body: {} }, 'run_id');
    const { body } = await service.get(`/runs/${last}/wait?wait=40s`);
    const { output } = body as { output: { messages: { type: string; content: string }[] } };
    const sent = output.messages.filter(({ type }) => type === 'human');
    expect(sent.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
  });

  it('runs an agent in TypeScript', async () => {
    const threadId = await service.thread();
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, {
      agent_id: 'triage',
      input: { ticket: 'My invoice is wrong' },
    });
    expect([response.status, response.body]).toMatchObject([
      200,
      {
        status: 'completed',
        output: { category: 'billing', log: ['classified as billing', 'answered'] },
      },
    ]);
  });

  it("respects the graph's output schema", async () => {
    const threadId = await service.thread();
    const response = await service.post(`/threads/${threadId}/runs?wait=30s`, {
      agent_id: 'research',
      input: { question: 'threads' },
    });
    const { output } = response.body as { output: Record<string, unknown> };
    expect(Object.keys(output).toSorted()).toEqual(['findings', 'report']);
  });
});

describe('reading runs of a thread', () => {
  it('lists them newest first, in pages', async () => {
    const threadId = await service.thread();
    const ids: string[] = [];
    for (const word of ['one', 'two', 'three']) {
      const run = await service.post(`/threads/${threadId}/runs?wait=30s`, bodyOf(word));
      ids.unshift(textOf(run, 'run_id'));
    }
    const list = async (query: string): Promise<string[]> => {
      const { body } = await service.get(`/threads/${threadId}/runs${query}`);
      return (body as { run_id: string }[]).map((run) => run.run_id);
    };
    expect(await list('')).toEqual(ids);
    expect(await list('?limit=2')).toEqual(ids.slice(0, 2));
    expect(await list('?limit=2&offset=2')).toEqual(ids.slice(2));
    const { headers } = await service.get(`/threads/${threadId}/runs?limit=1`);
    expect(headers.get('x-pagination-total')).toBe('3');
    expect(headers.get('x-pagination-next')).toBe('1');
  });

  it('takes the composite id and its trailing uuid', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, bodyOf('hello'));
    const runId = textOf(run, 'run_id');
    const uuid = runId.slice(threadId.length + 1);
    for (const id of [runId, uuid]) {
      const response = await service.get(`/threads/${threadId}/runs/${id}`);
      expect([response.status, response.body]).toEqual([200, run.body]);
      expect(response.body).not.toHaveProperty('input');
    }
  });

  it('responds with 404 for runs that do not exist', async () => {
    const threadId = await service.thread();
    const unknownId = '00000000-0000-7000-8000-000000000000';
    for (const id of [unknownId, `${threadId}_${unknownId}`, `other_${unknownId}`, 'x']) {
      const response = await service.get(`/threads/${threadId}/runs/${id}`);
      expect([response.status, response.body]).toEqual([404, aFailure('run_not_found')]);
    }
    const response = await service.get(`/threads/spec-missing/runs/${unknownId}`);
    expect(response.status).toBe(404);
  });
});

describe('POST /threads/{thread_id}/runs/{run_id}/cancel', () => {
  it('responds with 202 and the run, stops it, and is idempotent', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs`, slow);
    const path = `/threads/${threadId}/runs/${textOf(run, 'run_id')}`;
    const cancel = await service.post(`${path}/cancel`);
    expect([cancel.status, cancel.body]).toMatchObject([202, { status: 'cancelling' }]);
    const final = await service.get(`/runs/${textOf(run, 'run_id')}/wait?wait=30s`);
    expect([final.status, final.body]).toMatchObject([200, { status: 'cancelled' }]);
    const again = await service.post(`${path}/cancel`);
    expect([again.status, again.body]).toMatchObject([202, { status: 'cancelled' }]);
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({ status: 'idle' });
  });
});
