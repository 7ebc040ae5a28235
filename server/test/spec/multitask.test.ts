// Decisions, "second run while one is active": multitask_strategy.
import { describe, expect, it } from 'vitest';
import { specService, textOf } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();
const bodyOf = (content: string) => ({
  agent_id: 'chat',
  input: { messages: [{ role: 'user', content }] },
});
const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 30 } };

/** A thread with one finished run, one that is active and one that is queued. */
async function busyThread(): Promise<{ path: string; active: string; queued: string }> {
  const threadId = await service.thread();
  const path = `/threads/${threadId}/runs`;
  await service.post(`${path}?wait=30s`, bodyOf('before'));
  const active = await service.post(path, slow);
  const queued = await service.post(path, bodyOf('queued'));
  const ids = { active: textOf(active, 'run_id'), queued: textOf(queued, 'run_id') };
  return { path, ...ids };
}

const statusOf = async (runId: string): Promise<unknown> => {
  const { status, body } = await service.get(`/runs/${runId}`);
  return status === 200 ? (body as { status: string }).status : status;
};

describe('multitask_strategy', () => {
  it('enqueue puts a run behind the others, which have their positions', async () => {
    const { path, active, queued } = await busyThread();
    const last = await service.post(path, { ...bodyOf('last'), multitask_strategy: 'enqueue' });
    expect([last.status, last.body]).toMatchObject([202, { status: 'running', queue_position: 2 }]);
    const first = (await service.get(`/runs/${queued}`)).body;
    expect(first).toMatchObject({ status: 'running', queue_position: 1 });
    expect((await service.get(`/runs/${active}`)).body).not.toHaveProperty('queue_position');
    await service.delete(path.replace(/\/runs$/, ''));
  });

  it('reject responds with 409 while a run is active, and runs afterwards', async () => {
    const { path, active, queued } = await busyThread();
    const body = { ...bodyOf('rejected'), multitask_strategy: 'reject' };
    const refused = await service.post(path, body);
    expect([refused.status, refused.body]).toEqual([409, aFailure('thread_busy')]);
    await service.post(`/runs/${active}/cancel`);
    const last = await service.get(`/runs/${queued}/wait?wait=60s`);
    expect([last.status, last.body]).toMatchObject([200, { status: 'completed' }]);
    const run = await service.post(`${path}?wait=30s`, body);
    expect([run.status, run.body]).toMatchObject([200, { status: 'completed' }]);
  });

  it('interrupt cancels what is active or queued and continues from its checkpoints', async () => {
    const { path, active, queued } = await busyThread();
    const body = { ...bodyOf('after'), multitask_strategy: 'interrupt' };
    const run = await service.post(`${path}?wait=40s`, body);
    const output = { messages: [{ content: 'before' }, {}, { content: 'after' }, {}] };
    expect([run.status, run.body]).toMatchObject([200, { status: 'completed', output }]);
    expect([await statusOf(active), await statusOf(queued)]).toEqual(['cancelled', 'cancelled']);
  });

  it('rollback removes what is active or queued, and the head is what it was before', async () => {
    const { path, active, queued } = await busyThread();
    const state = path.replace(/runs$/, 'state');
    const before = (await service.get(`${path}?limit=1&offset=2`)).body;
    const body = { ...bodyOf('after'), multitask_strategy: 'rollback' };
    const run = await service.post(`${path}?wait=40s`, body);
    expect([run.status, run.body]).toMatchObject([200, { status: 'completed' }]);
    expect([await statusOf(active), await statusOf(queued)]).toEqual([404, 404]);
    expect((await service.get(path)).body).toEqual([run.body, ...(before as unknown[])]);
    const { values } = (await service.get(state)).body as { values: Record<string, unknown> };
    // Nothing of the agent that was at work is left.
    expect(Object.keys(values)).toEqual(['messages']);
    expect(values['messages']).toMatchObject([
      { content: 'before' },
      {},
      { content: 'after' },
      { content: expect.stringContaining('Before that you said: "before"') },
    ]);
  });

  it('does not stop a run that is returned again for an Idempotency-Key', async () => {
    const { path, active, queued } = await busyThread();
    const body = { ...slow, multitask_strategy: 'interrupt' };
    const key = { 'Idempotency-Key': path };
    const first = textOf(await service.post(path, body, key), 'run_id');
    expect(textOf(await service.post(path, body, key), 'run_id')).toBe(first);
    await service.get(`/runs/${active}/wait?wait=30s`);
    const statuses = await Promise.all([active, queued, first].map(statusOf));
    expect(statuses).toEqual(['cancelled', 'cancelled', 'running']);
    await service.delete(path.replace(/\/runs$/, ''));
  });

  it('is refused when it is another', async () => {
    const threadId = await service.thread();
    const body = { ...bodyOf('x'), multitask_strategy: 'skip' };
    const response = await service.post(`/threads/${threadId}/runs`, body);
    expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
  });
});
