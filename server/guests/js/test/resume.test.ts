import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

describe('a run that stops on the way', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  const agents = {
    approval: './approval.mjs:graph',
    crash: './crash.ts:graph',
    wait: './wait.ts:graph',
    nested: './nested.ts:graph',
  };

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, agents);
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  it('is interrupted with its questions, and goes on with the answer', async () => {
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

  it('updates the state and jumps with a command', async () => {
    const request = { agentId: 'approval', inputJson: '{}' };
    await guest.invoke(runRequest('t-goto', 'r-goto-1', request));
    const command = JSON.stringify({ update: { amount: 99 }, goto: 'ask' });
    const { end } = await guest.invoke(
      runRequest('t-goto', 'r-goto-2', { agentId: 'approval', commandJson: command }),
    );
    expect(JSON.parse(end.interruptsJson)).toMatchObject([{ value: { amount: 99 } }]);
  });

  it('goes on after a kill from the last checkpoint, without the tasks that had finished', async () => {
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
    // The same run again, with its input: LangGraph sees the run's own checkpoint and goes on.
    const again = { agentId: 'crash', inputJson: input, attempt: 2, headKnown: true, head };
    const { end } = await guest.invoke(runRequest('t-crash', 'r-crash', again));
    expect(JSON.parse(end.outputJson)).toEqual({ log, done: ['first', 'left', 'right'] });
    expect(readFileSync(log, 'utf8').split('\n').slice(3)).toEqual(['right', '']);
  });

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
    const request = { agentId: 'wait', inputJson: '{"stubborn":true}', streamModes: ['custom'] };
    const running = held.start(runRequest('t-held', 'r-held', request));
    const failed = running.outcome.catch((error: unknown) => error);
    await running.chunkSeen(({ mode }) => mode === 'custom');
    held.closeStdin();
    await held.exited;
    expect(existsSync(`/proc/${held.pid}`)).toBe(false);
    await held.kill();
    await failed;
  });
});
