import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

describe('a run that stops before its end', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  const agents = {
    approval: './approval.mjs:graph',
    crash: './crash.ts:graph',
    wait: './wait.ts:graph',
    twice: './twice.mjs:graph',
    nested: './nested-questions.mjs:graph',
    delta: './delta.ts:graph',
    'memory-calls': './memory-calls.ts:graph',
  };

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, agents);
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  it('is interrupted with its questions, and continues with the answer', async () => {
    const request = { agentId: 'approval', inputJson: '{}', streamModes: ['values', 'updates'] };
    const { end, chunks } = await guest.invoke(runRequest('t-ask', 'r-ask-1', request));
    expect(end.status).toBe('interrupted');
    const interrupts: unknown = JSON.parse(end.interruptsJson);
    expect(interrupts).toEqual([
      { id: expect.any(String) as unknown, value: { question: 'Approve?', amount: 7 } }, // typed any there
    ]);
    expect(JSON.parse(end.outputJson)).toEqual({ amount: 7, __interrupt__: interrupts });
    expect(chunks.map(({ mode, json }) => [mode, JSON.parse(json) as unknown]).slice(-2)).toEqual([
      ['updates', { __interrupt__: interrupts }],
      ['values', { amount: 7, __interrupt__: interrupts }],
    ]);
    const waiting = host.checkpoints.history('t-ask').at(-1);
    expect(
      waiting?.writes.map(({ index, json }) => [index, JSON.parse(json ?? '') as unknown]),
    ).toEqual([[-3, interrupts]]);

    const resume = { agentId: 'approval', commandJson: '{"resume":{"approved":true}}' };
    const after = await guest.invoke(runRequest('t-ask', 'r-ask-2', resume));
    expect(after.end).toMatchObject({ status: 'completed' });
    expect(JSON.parse(after.end.outputJson)).toEqual({ amount: 7, answer: { approved: true } });
  });

  it('continues with an answer that is false, which LangGraph.js would overlook', async () => {
    await guest.invoke(runRequest('t-no', 'r-no-1', { agentId: 'approval', inputJson: '{}' }));
    const resume = { agentId: 'approval', commandJson: '{"resume":false}' };
    const { end } = await guest.invoke(runRequest('t-no', 'r-no-2', resume));
    expect(JSON.parse(end.outputJson)).toEqual({ amount: 7, answer: false });
    const nothing = await guest.invoke(runRequest('t-no', 'r-no-3', resume));
    expect(nothing.end.error?.code).toBe('invalid_request');
  });

  it('gives an answer to one question only, also when the attempt that took it was lost', async () => {
    await guest.invoke(runRequest('t-two', 'r-two-1', { agentId: 'twice', inputJson: '{}' }));
    const resume = { agentId: 'twice', commandJson: '{"resume":"yes"}' };
    const first = await guest.invoke(runRequest('t-two', 'r-two-2', resume));
    expect(JSON.parse(first.end.interruptsJson)).toMatchObject([{ value: 'second?' }]);
    // As if the host had not received the end.
    const again = await guest.invoke(runRequest('t-two', 'r-two-2', { ...resume, attempt: 2 }));
    expect(JSON.parse(again.end.interruptsJson)).toMatchObject([{ value: 'second?' }]);
    const last = await guest.invoke(runRequest('t-two', 'r-two-3', resume));
    expect(JSON.parse(last.end.outputJson)).toEqual({ answers: ['yes', 'yes'] });
  });

  it.each(['plain', 'by id'])(
    'does not take an answer for the same one before it, nor twice (%s)',
    async (how) => {
      const thread = `t-same-${how}`;
      const start = { agentId: 'twice', inputJson: '{}' };
      let { end } = await guest.invoke(runRequest(thread, `r-1-${how}`, start));
      const answer = (runId: string, attempt: number) => {
        const [question] = JSON.parse(end.interruptsJson) as { id: string }[];
        const resume = how === 'plain' ? 'yes' : { [question?.id ?? '']: 'yes' };
        const commandJson = JSON.stringify({ resume });
        return runRequest(thread, runId, { agentId: 'twice', commandJson, attempt });
      };
      const lost = answer(`r-2-${how}`, 2);
      end = (await guest.invoke(answer(`r-2-${how}`, 1))).end;
      // As if the host had not received the end.
      expect(JSON.parse((await guest.invoke(lost)).end.interruptsJson)).toMatchObject([
        { value: 'second?' },
      ]);
      // What its first attempt did is lost.
      const last = await guest.invoke(answer(`r-3-${how}`, 2));
      expect(JSON.parse(last.end.outputJson)).toEqual({ answers: ['yes', 'yes'] });
    },
  );

  it('gives an answer to one question of a sub-graph only, also when that attempt was lost', async () => {
    await guest.invoke(runRequest('t-in', 'r-in-1', { agentId: 'nested', inputJson: '{}' }));
    const resume = { agentId: 'nested', commandJson: '{"resume":"yes"}' };
    for (const attempt of [1, 2]) {
      const { end } = await guest.invoke(runRequest('t-in', 'r-in-2', { ...resume, attempt }));
      expect(JSON.parse(end.interruptsJson)).toMatchObject([{ value: 'second?' }]);
    }
    const last = await guest.invoke(runRequest('t-in', 'r-in-3', resume));
    expect(JSON.parse(last.end.outputJson)).toEqual({ answers: ['yes', 'yes'] });
  });

  it('applies a command once, also when the attempt that applied it was lost', async () => {
    await guest.invoke(runRequest('t-once', 'r-once-1', { agentId: 'twice', inputJson: '{}' }));
    const command = JSON.stringify({ update: { answers: ['given'] }, goto: 'done' });
    const request = { agentId: 'twice', commandJson: command };
    const outcomes = [
      await guest.invoke(runRequest('t-once', 'r-once-2', request)),
      await guest.invoke(runRequest('t-once', 'r-once-2', { ...request, attempt: 2 })),
    ];
    expect(
      outcomes.map(({ end }) => (JSON.parse(end.outputJson) as { answers: unknown }).answers),
    ).toEqual([['given'], ['given']]);
  });

  it('keeps delta channels whole when only the newest checkpoint is retained', async () => {
    const say = (text: string) => ({
      agentId: 'delta',
      inputJson: JSON.stringify({ messages: [{ role: 'user', content: text }] }),
    });
    await guest.invoke(runRequest('t-delta', 'r-delta-1', say('one')));
    host.checkpoints.keepOnlyHead('t-delta');
    const [head] = host.checkpoints.history('t-delta');
    const messages = head?.blobs.find(({ channel }) => channel === 'messages');
    expect(JSON.parse(messages?.json ?? '')).toMatchObject([
      { type: 'human', content: 'one' },
      { type: 'ai', content: 'answer 1' },
    ]);
    const { end } = await guest.invoke(runRequest('t-delta', 'r-delta-2', say('two')));
    expect(JSON.parse(end.outputJson)).toMatchObject({
      messages: [
        { content: 'one' },
        { content: 'answer 1' },
        { content: 'two' },
        { content: 'answer 3' },
      ],
    });
  });

  it('updates the state and jumps with a command', async () => {
    const request = { agentId: 'approval', inputJson: '{}' };
    await guest.invoke(runRequest('t-goto', 'r-goto-1', request));
    const command = JSON.stringify({ update: { amount: 99 }, goto: 'ask' });
    const { end } = await guest.invoke(
      runRequest('t-goto', 'r-goto-2', { agentId: 'approval', commandJson: command }),
    );
    expect(JSON.parse(end.interruptsJson)).toMatchObject([{ value: { amount: 99 } }]);
  });

  it('continues after a kill from the last checkpoint, without the tasks that had finished', async () => {
    const log = join(host.directory, 'crash.log');
    const input = JSON.stringify({ log });
    const doomed = await startGuest(host, agents);
    const first = runRequest('t-crash', 'r-crash', { agentId: 'crash', inputJson: input });
    const running = doomed.start(first);
    const failed = running.outcome.catch((error: unknown) => error);
    // input, __start__, step 0, first, step 1, and then left of the two.
    await host.until(first.token ?? '', 6);
    await doomed.kill();
    await failed;
    expect(readFileSync(log, 'utf8').split('\n').sort()).toEqual(['', 'first', 'left', 'right']);

    writeFileSync(`${log}.survive`, '');
    const head = host.checkpoints.history('t-crash').at(-1) ?? null;
    expect(head?.writes.map(({ channel }) => channel)).toContain('done');
    // The same run again, with its input: LangGraph sees the run's own checkpoint and continues.
    const again = { agentId: 'crash', inputJson: input, attempt: 2, headKnown: true, head };
    const { end } = await guest.invoke(runRequest('t-crash', 'r-crash', again));
    expect(JSON.parse(end.outputJson)).toEqual({ log, done: ['first', 'left', 'right'] });
    expect(readFileSync(log, 'utf8').split('\n').slice(3)).toEqual(['right', '']);
  });

  it.each(
    // The memory is from an earlier run, or from this one.
    [3, 4].flatMap((call) => ['before', 'in', 'after'].map((where) => ({ call, where }))),
  )(
    'counts every call of a sub-graph with a memory once: $where call $call',
    async ({ call, where }) => {
      const name = `memory-${call}-${where}`;
      const flag = join(host.directory, name);
      const inputJson = JSON.stringify({ flag, fails: `${call} ${where}` });
      const request = { agentId: 'memory-calls', inputJson };
      await guest.invoke(runRequest(name, `${name}-1`, request));
      const lost = await guest.invoke(runRequest(name, `${name}-2`, request));
      expect(lost.end).toMatchObject({ status: 'error', error: { message: where } });
      // As if the host had not received the end.
      const { end } = await guest.invoke(runRequest(name, `${name}-2`, { ...request, attempt: 2 }));
      expect(JSON.parse(end.outputJson)).toMatchObject({ seen: [1, 2, 3, 4] });
    },
  );

  it('is cancelled on request, and keeps what was saved', async () => {
    const request = runRequest('t-cancel', 'r-cancel', {
      agentId: 'wait',
      inputJson: '{"stubborn":false}',
      streamModes: ['custom'],
    });
    const running = guest.start(request);
    const waiting = await running.chunkSeen(({ mode }) => mode === 'custom');
    expect(waiting.json).toBe('{"value":"waiting"}');
    expect(await guest.cancel(request.token ?? '')).toEqual({ found: true });
    const { end } = await running.outcome;
    expect(end).toMatchObject({ status: 'cancelled', outputJson: '', error: null });
    expect(host.checkpoints.history('t-cancel')).toHaveLength(2);
    expect(await guest.cancel(request.token ?? '')).toEqual({ found: false });
  });

  it('dies with its host even while an agent holds the process', async () => {
    const held = await startGuest(host, agents);
    const request = { agentId: 'wait', inputJson: '{"stubborn":true}' };
    const running = held.start(runRequest('t-held', 'r-held', request));
    const failed = running.outcome.catch((error: unknown) => error);
    await held.logSeen(({ text }) => text === 'holding');
    held.closeStdin();
    await held.exited;
    expect(existsSync(`/proc/${held.pid}`)).toBe(false);
    await held.kill();
    await failed;
  });
});
