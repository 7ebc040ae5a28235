import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deferred } from '../../test/fixtures/deferred.ts';
import { UPDATE_BYTES_IN_FLIGHT } from '../model/limits.ts';
import { askBeside, QUERIES_IN_FLIGHT, UpdateGate } from './calls.ts';

it('lets calls on one thread through one after the other, and those on others beside them', async () => {
  const gate = new UpdateGate({ maxCalls: 1 });
  const first = deferred();
  const order: string[] = [];
  const call = (thread: string, name: string, wait?: Promise<unknown>) =>
    gate.run(thread, 0, async () => {
      order.push(`${name} begins`);
      await wait;
      order.push(`${name} ends`);
    });
  const calls = [call('a', 'first', first.promise), call('a', 'second'), call('b', 'other')];
  await calls[2];
  expect(order).toEqual(['first begins', 'other begins', 'other ends']);
  first.resolve();
  await Promise.all(calls);
  expect(order.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});

it('goes on after a call that failed', async () => {
  const gate = new UpdateGate({ maxCalls: 1 });
  const failing = gate.run('a', 0, () => Promise.reject(new Error('no')));
  const next = gate.run('a', 0, () => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('holds back what is more in number or in bytes than one thread may have in flight', async () => {
  for (const { maxCalls, bytes, calls } of [
    { maxCalls: QUERIES_IN_FLIGHT, bytes: 0, calls: QUERIES_IN_FLIGHT },
    { maxCalls: 10, bytes: UPDATE_BYTES_IN_FLIGHT, calls: 1 },
  ]) {
    const gate = new UpdateGate({ maxCalls });
    const end = deferred();
    let begun = 0;
    const all = Array.from({ length: calls + 1 }, () =>
      gate.run('a', bytes, () => {
        begun += 1;
        return end.promise;
      }),
    );
    await Promise.resolve();
    expect(begun).toBe(calls);
    end.resolve();
    await Promise.all(all);
    expect(begun).toBe(calls + 1);
  }
});

it('asks again beside what stays unanswered, and takes the answer that comes first', async () => {
  const first = deferred();
  const asked: number[] = [];
  const answer = askBeside([0, 5, 10], async (at) => {
    asked.push(at);
    if (at === 10) first.resolve();
    await (at === 0 ? first.promise : new Promise(() => undefined)); // the others are lost
    return `asked at ${at}`;
  });
  expect(await answer).toBe('asked at 0');
  expect(asked).toEqual([0, 5, 10]);
});

it('asks no more after an answer, nor after a failure', async () => {
  const asked: number[] = [];
  const ask = (at: number): Promise<string> => {
    asked.push(at);
    return asked.length === 1 ? Promise.resolve('yes') : Promise.reject(new Error('no'));
  };
  expect(await askBeside([0, 1], ask)).toBe('yes');
  await expect(askBeside([0, 1], ask)).rejects.toThrow('no');
  await pause(20);
  expect(asked).toEqual([0, 0]);
});
