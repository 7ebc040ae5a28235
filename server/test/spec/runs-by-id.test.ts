// Specification, chapter "Endpoints: Stateless runs and runs by id".
import { describe, expect, it } from 'vitest';
import { textOf, specService } from '../fixtures/spec-service.ts';
import { aFailure, aRunId, aTimestamp } from '../fixtures/wire-patterns.ts';

const service = specService();
const hello = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };
const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 30 } };

describe('POST /runs', () => {
  it('responds with 202 and a running run on its own thread', async () => {
    const response = await service.post('/runs', hello);
    expect([response.status, response.body]).toMatchObject([
      202,
      { run_id: aRunId(), status: 'running', created_at: aTimestamp, updated_at: aTimestamp },
    ]);
    expect(response.body).not.toHaveProperty('output');
    const threadId = textOf(response, 'thread_id');
    expect(textOf(response, 'run_id')).toMatch(new RegExp(`^${threadId}_`));
    expect((await service.get(`/threads/${threadId}`)).status).toBe(200);
  });
});

describe('POST /runs/wait', () => {
  it('responds with 200 and the final run', async () => {
    const response = await service.post('/runs/wait', hello);
    expect([response.status, response.body]).toMatchObject([
      200,
      { status: 'completed', output: { messages: [{}, { content: 'You said: "hello".' }] } },
    ]);
    const read = await service.get(`/runs/${textOf(response, 'run_id')}`);
    expect([read.status, read.body]).toEqual([200, response.body]);
    expect(read.body).toMatchObject({ sandbox: { kind: expect.stringMatching(/./), used: {} } });
  });

  it('responds with 200 and status error for a run that fails, and reports why', async () => {
    const response = await service.post('/runs/wait', {
      agent_id: 'approval',
      input: { order: '1' },
    });
    expect([response.status, response.body]).toMatchObject([
      200,
      {
        status: 'error',
        error: {
          code: 'agent_error',
          message: expect.stringContaining('amount'),
          type: 'KeyError',
        },
      },
    ]);
    expect(response.body).not.toHaveProperty('output');
    const waited = await service.get(`/runs/${textOf(response, 'run_id')}/wait`);
    expect([waited.status, waited.body]).toEqual([200, response.body]);
  });

  it('takes its own window', async () => {
    const response = await service.post('/runs/wait?wait=300ms', slow);
    expect([response.status, response.body]).toEqual([504, aFailure('wait_elapsed')]);
    const { metadata } = response.body as { metadata: { run_id: string } };
    await service.post(`/runs/${metadata.run_id}/cancel`);
  });
});

describe('GET /runs/{run_id}/wait', () => {
  it('responds with 504 while the run continues, and 200 once it is terminal', async () => {
    const runId = textOf(await service.post('/runs', slow), 'run_id');
    const early = await service.get(`/runs/${runId}/wait?timeout=200ms`);
    expect([early.status, early.body]).toEqual([504, aFailure('wait_elapsed')]);
    expect((await service.get(`/runs/${runId}`)).body).toMatchObject({ status: 'running' });
    const waiting = service.get(`/runs/${runId}/wait?wait=30s`);
    await service.post(`/runs/${runId}/cancel`);
    expect([(await waiting).status, (await waiting).body]).toMatchObject([
      200,
      { status: 'cancelled' },
    ]);
  });
});

describe('runs by id', () => {
  it('work for runs of explicit threads too', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    const runId = textOf(run, 'run_id');
    expect((await service.get(`/runs/${runId}`)).body).toEqual(run.body);
    expect((await service.get(`/runs/${runId}/wait`)).body).toEqual(run.body);
    const cancel = await service.post(`/runs/${runId}/cancel`);
    expect([cancel.status, cancel.body]).toEqual([202, run.body]);
  });

  it('cancel of a finished stateless run changes nothing', async () => {
    const run = await service.post('/runs/wait', hello);
    const cancel = await service.post(`/runs/${textOf(run, 'run_id')}/cancel`);
    expect([cancel.status, cancel.body]).toEqual([202, run.body]);
  });

  it('take the composite id only', async () => {
    const runId = textOf(await service.post('/runs/wait', hello), 'run_id');
    for (const id of [runId.split('_')[1], 'x', `${runId}0`]) {
      const response = await service.get(`/runs/${id}`);
      expect([response.status, response.body]).toEqual([404, aFailure('run_not_found')]);
    }
  });
});

describe('DELETE /runs/{run_id}', () => {
  it('responds with 409 while the run is running, and 204 afterwards', async () => {
    const runId = textOf(await service.post('/runs', slow), 'run_id');
    const early = await service.delete(`/runs/${runId}`);
    expect([early.status, early.body]).toEqual([409, aFailure('run_active')]);
    await service.post(`/runs/${runId}/cancel`);
    await service.get(`/runs/${runId}/wait?wait=30s`);
    const late = await service.delete(`/runs/${runId}`);
    expect([late.status, late.body]).toEqual([204, undefined]);
    expect((await service.get(`/runs/${runId}`)).status).toBe(404);
  });

  it("leaves the thread's state", async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, hello);
    await service.delete(`/runs/${textOf(run, 'run_id')}`);
    expect((await service.get(`/threads/${threadId}/state`)).body).toMatchObject({
      values: { messages: [{ content: 'hello' }, {}] },
    });
    expect((await service.get(`/threads/${threadId}/runs`)).body).toEqual([]);
  });
});
