// Specification, chapter "Endpoints: State", POST state; row "POST state" of the decisions.
import { describe, expect, it } from 'vitest';
import { specService, textOf } from '../fixtures/spec-service.ts';
import { aFailure } from '../fixtures/wire-patterns.ts';

const service = specService();
const hello = { agent_id: 'chat', input: { messages: [{ role: 'user', content: 'hello' }] } };
const ask = { agent_id: 'approval', input: { order: '9', amount: 500 } };
const ticket = { agent_id: 'triage', input: { ticket: 'Where is my invoice?' } };

const ran = (threadId: string, run: unknown) =>
  service.post(`/threads/${threadId}/runs?wait=30s`, run);
const set = (threadId: string, values: unknown) =>
  service.post(`/threads/${threadId}/state`, values);
const stateOf = async (threadId: string): Promise<unknown> =>
  (await service.get(`/threads/${threadId}/state`)).body;

describe('POST /threads/{thread_id}/state', () => {
  it('sets the values that are the body, and returns all of them', async () => {
    const threadId = await service.thread();
    await ran(threadId, { agent_id: 'approval', input: { order: '1', amount: 20 } });
    const response = await set(threadId, { amount: 30.5, result: 'changed by hand' });
    const values = {
      order: '1',
      amount: 30.5,
      approved: true,
      approved_by: 'rule',
      result: 'changed by hand',
    };
    expect([response.status, response.body]).toEqual([200, { thread_id: threadId, values }]);
    expect(await stateOf(threadId)).toEqual({ thread_id: threadId, values });
    const { body } = await service.get(`/threads/${threadId}`);
    expect(body).toMatchObject({ status: 'idle', values });
  });

  it('appends messages by the add-messages reducer, and leaves them out of the response', async () => {
    const threadId = await service.thread();
    await ran(threadId, hello);
    const response = await set(threadId, { messages: [{ role: 'user', content: 'and more' }] });
    expect([response.status, response.body]).toEqual([200, { thread_id: threadId, values: {} }]);
    const state = await stateOf(threadId);
    expect(state).toMatchObject({
      values: { messages: [{}, {}, { type: 'human', content: 'and more' }] },
      messages: [{ content: 'hello' }, {}, { role: 'user', content: 'and more' }],
    });
    const { values } = state as { values: { messages: { id: string }[] } }; // as just compared
    const [first] = values.messages;
    await set(threadId, { messages: [{ role: 'user', content: 'hi instead', id: first?.id }] });
    expect(await stateOf(threadId)).toMatchObject({
      messages: [{ content: 'hi instead' }, {}, { content: 'and more' }],
    });
  });

  it('overwrites keys that have a reducer, in Python and in TypeScript', async () => {
    const article = await service.thread();
    await ran(article, { agent_id: 'article', input: { topic: 'rivers' } });
    const written = await set(article, { sections: ['only one'] });
    expect(written.body).toMatchObject({ values: { topic: 'rivers', sections: ['only one'] } });
    const triage = await service.thread();
    await ran(triage, ticket);
    const noted = await set(triage, { log: ['seen by Ada'], reply: 'Soon.' });
    expect([noted.status, noted.body]).toMatchObject([
      200,
      { values: { ticket: 'Where is my invoice?', log: ['seen by Ada'], reply: 'Soon.' } },
    ]);
    expect(await stateOf(triage)).toMatchObject({
      values: { log: ['seen by Ada'], reply: 'Soon.' },
    });
  });

  it('works on a thread that never ran, with the default agent', async () => {
    const threadId = await service.thread();
    const messages = [{ role: 'user', content: 'before the first run' }];
    expect((await set(threadId, { messages })).status).toBe(200);
    expect(await stateOf(threadId)).toMatchObject({
      messages: [{ role: 'user', content: 'before the first run' }],
    });
    expect((await ran(threadId, hello)).body).toMatchObject({
      status: 'completed',
      output: { messages: [{ content: 'before the first run' }, { content: 'hello' }, {}] },
    });
  });

  it('leaves an interrupted thread interrupted, and its question can be answered', async () => {
    const threadId = await service.thread();
    await ran(threadId, ask);
    expect((await set(threadId, { order: '10' })).status).toBe(200);
    const { body } = await service.get(`/threads/${threadId}`);
    expect(body).toMatchObject({
      status: 'interrupted',
      values: { order: '10' },
      interrupts: [{ id: expect.any(String), value: { order: '9' } }],
    });
    const { interrupts } = body as { interrupts: { id: string }[] }; // as just compared
    const answers = Object.fromEntries(
      interrupts.map(({ id }) => [id, { approved: true, by: 'Ada' }]),
    );
    const run = await ran(threadId, { agent_id: 'approval', command: { resume: answers } });
    expect(run.body).toMatchObject({
      status: 'completed',
      output: { order: '10', approved_by: 'Ada', result: 'Refunded 500.00 for order 10.' },
    });
  });

  it('edits the past: a copy from a checkpoint, its state set, a run on it', async () => {
    const threadId = await service.thread();
    await ran(threadId, ask);
    const past = await service.post(`/threads/${threadId}/state/checkpoint`, {});
    const resume = { agent_id: 'approval', command: { resume: false } };
    await ran(threadId, resume);
    const { checkpoint } = past.body as { checkpoint: unknown }; // as the contract defines
    const copied = await service.post(`/threads/${threadId}/copy`, { checkpoint });
    const copy = textOf(copied, 'thread_id');
    expect((await service.get(`/threads/${copy}`)).body).toMatchObject({
      interrupts: [{ value: { order: '9' } }],
    });
    await set(copy, { amount: 700 });
    const run = await ran(copy, { agent_id: 'approval', command: { resume: true } });
    expect(run.body).toMatchObject({
      status: 'completed',
      output: { amount: 700, approved: true },
    });
    expect(await stateOf(threadId)).toMatchObject({ values: { amount: 500, approved: false } });
  });

  it('edits the past of a graph that asks nothing: the steps after it are done again', async () => {
    const threadId = await service.thread();
    const stopped = { ...ticket, interrupt_after: ['classify'] };
    await ran(threadId, stopped);
    const past = await service.post(`/threads/${threadId}/state/checkpoint`, {});
    await ran(threadId, { agent_id: 'triage' });
    const { checkpoint } = past.body as { checkpoint: unknown }; // as the contract defines
    const copied = await service.post(`/threads/${threadId}/copy`, { checkpoint });
    const copy = textOf(copied, 'thread_id');
    await set(copy, { category: 'technical' });
    expect((await ran(copy, { agent_id: 'triage' })).body).toMatchObject({
      status: 'completed',
      output: { category: 'technical', reply: 'Please try again; we are looking into it.' },
    });
    expect(await stateOf(threadId)).toMatchObject({ values: { category: 'billing' } });
  });

  it('asks the agent of the source on a copy', async () => {
    const threadId = await service.thread();
    await ran(threadId, ticket);
    const copied = await service.post(`/threads/${threadId}/copy`);
    const response = await set(textOf(copied, 'thread_id'), { assigned_to: 'Ada' });
    expect([response.status, response.body]).toMatchObject([
      200,
      { values: { assigned_to: 'Ada' } },
    ]);
  });

  it('writes checkpoints that the history retains as those of one run', async () => {
    const threadId = await service.thread();
    await ran(threadId, ticket);
    for (const reply of ['one', 'two', 'three']) await set(threadId, { reply });
    const { body } = await service.get(`/threads/${threadId}/history`);
    expect(body).toMatchObject([
      { values: { reply: 'three' }, metadata: { source: 'update' } },
      { values: { reply: expect.stringContaining('accounting') } },
    ]);
  });

  it('responds with 409 while a run is active or queued', async () => {
    const threadId = await service.thread();
    const slow = { agent_id: 'research', input: { question: 'durable agents', delay: 30 } };
    const run = await service.post(`/threads/${threadId}/runs`, slow);
    const response = await set(threadId, { question: 'else' });
    expect([response.status, response.body]).toEqual([409, aFailure('thread_busy')]);
    await service.post(`/runs/${textOf(run, 'run_id')}/cancel`);
    await service.get(`/runs/${textOf(run, 'run_id')}/wait?wait=30s`);
  });

  it('makes changes at the same time one after the other', async () => {
    const threadId = await service.thread();
    await ran(threadId, hello);
    const words = ['a', 'b', 'c'];
    const responses = await Promise.all(
      words.map((content) => set(threadId, { messages: [{ role: 'user', content }] })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { messages } = (await stateOf(threadId)) as { messages: { content: string }[] }; // the contract
    expect(
      messages
        .slice(2)
        .map(({ content }) => content)
        .toSorted(),
    ).toEqual(words);
  });

  it('responds with 400 for keys that the state does not have, with a sentence that names them', async () => {
    const threadId = await service.thread();
    for (const body of [
      { undeclared: 1 },
      { values: { messages: [] }, as_node: 'answer' },
      { messages: [{ role: 'unknown', content: 7 }] },
    ]) {
      const response = await set(threadId, body);
      expect([response.status, response.body]).toEqual([400, aFailure('invalid_request')]);
    }
    expect(textOf(await set(threadId, { undeclared: 1 }), 'message')).toContain('undeclared');
    expect(await stateOf(threadId)).toEqual({ thread_id: threadId, values: {} });
  });

  it('responds with 413 for a state over the ceiling, and leaves the state as it was', async () => {
    const threadId = await service.thread();
    await ran(threadId, ticket);
    const before = await stateOf(threadId);
    const response = await set(threadId, { reply: 'x'.repeat(2 * 1024 * 1024) });
    expect([response.status, response.body]).toEqual([413, aFailure('checkpoint_too_large')]);
    expect(await stateOf(threadId)).toEqual(before);
  });

  it('is where a run continues from, also on a thread that has the id of a deleted one', async () => {
    const threadId = await service.thread();
    const contents = async (): Promise<string[]> => {
      const { messages } = (await stateOf(threadId)) as { messages: { content: string }[] }; // the contract
      return messages.map(({ content }) => content);
    };
    await ran(threadId, hello);
    await service.delete(`/threads/${threadId}`);
    await service.post('/threads', { thread_id: threadId });
    // Until the checkpoints were changed as often as by the run of the deleted thread.
    for (let edit = 1; edit <= 5; edit += 1) {
      await set(threadId, { messages: [{ role: 'user', content: `edit ${edit}` }] });
    }
    const before = await contents();
    const { body } = await ran(threadId, { ...hello, input: { messages: [] } });
    expect(body).toMatchObject({ status: 'completed' });
    expect((await contents()).slice(0, 5)).toEqual(before);
  });

  it('responds with 404 for a thread that does not exist', async () => {
    const response = await set('spec-missing', { messages: [] });
    expect([response.status, response.body]).toEqual([404, aFailure('thread_not_found')]);
  });
});
