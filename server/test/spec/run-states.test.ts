// Specification, chapter "States and transitions", and the resume extension of the decisions.
import { describe, expect, it } from 'vitest';
import { textOf, specService } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();
const refund = { agent_id: 'approval', input: { order: '9', amount: 500 } };
const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 30 } };
const asked = [{ id: expect.any(String), value: expect.objectContaining({ order: '9' }) }];

describe('an interrupted run', () => {
  it('ends a wait at once, and leaves its thread interrupted', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, refund);
    expect([run.status, run.body]).toMatchObject([
      200,
      { status: 'interrupted', output: { __interrupt__: asked } },
    ]);
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({
      status: 'interrupted',
      interrupts: asked,
    });
    expect((await service.get(`/threads/${threadId}/state`)).body).toMatchObject({
      interrupts: asked,
    });
  });

  it('stays interrupted when it is resumed: the resume is a new run', async () => {
    const threadId = await service.thread();
    const first = await service.post(`/threads/${threadId}/runs?wait=30s`, refund);
    const second = await service.post(`/threads/${threadId}/runs?wait=30s`, {
      agent_id: 'approval',
      command: { resume: { approved: true, by: 'Ada' } },
    });
    expect([second.status, second.body]).toMatchObject([
      200,
      {
        status: 'completed',
        output: { approved_by: 'Ada', result: 'Refunded 500.00 for order 9.' },
      },
    ]);
    expect(second.body).not.toMatchObject({ run_id: textOf(first, 'run_id') });
    expect((await service.get(`/runs/${textOf(first, 'run_id')}`)).body).toMatchObject({
      status: 'interrupted',
    });
    const thread = await service.get(`/threads/${threadId}`);
    expect(thread.body).toMatchObject({ status: 'idle' });
    expect(thread.body).not.toHaveProperty('interrupts');
  });

  it('can be cancelled: the response has cancelling, the next read cancelled', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs?wait=30s`, refund);
    const path = `/runs/${textOf(run, 'run_id')}`;
    const cancel = await service.post(`${path}/cancel`);
    expect([cancel.status, cancel.body]).toMatchObject([202, { status: 'cancelling' }]);
    expect((await service.get(path)).body).toMatchObject({ status: 'cancelled' });
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({ status: 'idle' });
  });

  it('is needed to resume: otherwise 409', async () => {
    const threadId = await service.thread();
    const response = await service.post(`/threads/${threadId}/runs`, { command: { resume: 1 } });
    expect([response.status, response.body]).toEqual([409, aFailure('not_interrupted')]);
  });
});

describe('thread status', () => {
  it('is busy while a run is active, and error after a failed one', async () => {
    const threadId = await service.thread();
    const run = await service.post(`/threads/${threadId}/runs`, slow);
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({ status: 'busy' });
    await service.post(`/runs/${textOf(run, 'run_id')}/cancel`);
    const failing = { agent_id: 'approval', input: { order: '1' } };
    const failed = await service.post(`/threads/${threadId}/runs?wait=30s`, failing);
    expect(failed.body).toMatchObject({ status: 'error' });
    expect((await service.get(`/threads/${threadId}`)).body).toMatchObject({ status: 'error' });
  });
});

describe('a failed run', () => {
  it('continues from where it failed when a run without input follows', async () => {
    const threadId = await service.thread();
    const path = `/threads/${threadId}/runs?wait=30s`;
    await service.post(path, { ...refund, interrupt_before: ['settle'] });
    await service.post(path, {
      agent_id: 'approval',
      command: { resume: true },
      interrupt_before: ['settle'],
    });
    const response = await service.post(path, { agent_id: 'approval', input: null });
    expect([response.status, response.body]).toMatchObject([
      200,
      { status: 'completed', output: { approved: true, result: 'Refunded 500.00 for order 9.' } },
    ]);
  });
});
