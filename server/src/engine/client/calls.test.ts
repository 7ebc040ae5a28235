import { setTimeout as pause } from 'node:timers/promises';
import { Metadata, status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { deferred } from '../../../test/fixtures/deferred.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { UPDATE_BYTES_IN_FLIGHT } from '../../model/limits/limits.ts';
import { hedge, callWithRetries, QUERIES_IN_FLIGHT, KeyedSemaphore } from './calls.ts';

it('runs calls on one thread one after the other, and those on others concurrently', async () => {
  const gate = new KeyedSemaphore({ maxCalls: 1 });
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

it('continues after a call that failed', async () => {
  const gate = new KeyedSemaphore({ maxCalls: 1 });
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
    const gate = new KeyedSemaphore({ maxCalls });
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

const lost = new Promise<string>(() => undefined);

it('repeats a request without a response, and takes the response that comes first', async () => {
  const slow = deferred();
  let asked = 0;
  const first = (): Promise<string> => slow.promise.then(() => 'the first');
  const result = hedge(first, [5, 10], () => {
    asked += 1;
    if (asked === 2) slow.resolve();
    return lost;
  });
  expect([await result, asked]).toEqual(['the first', 2]);
  expect(
    await hedge(
      () => lost,
      [5],
      () => Promise.resolve('the repeat'),
    ),
  ).toBe('the repeat');
});

it('waits for the first request where a repeat is refused for now, and fails as what fails for good', async () => {
  const slow = deferred();
  const first = (): Promise<string> => slow.promise.then(() => 'the first');
  const refuse = (): Promise<string> => {
    slow.resolve();
    return Promise.reject(new ServiceError('engine_unavailable', 'The buffer is full.'));
  };
  expect(await hedge(first, [5], refuse)).toBe('the first');
  const fail = (): Promise<string> => Promise.reject(new Error('no'));
  await expect(hedge(() => lost, [5], fail)).rejects.toThrow('no');
});

it('repeats no request after a response', async () => {
  let asked = 0;
  const ask = (): Promise<string> => {
    asked += 1;
    return lost;
  };
  expect(await hedge(() => Promise.resolve('yes'), [1], ask)).toBe('yes');
  await pause(20);
  expect(asked).toBe(0);
});

it('waits longer for a thread that falls behind than for an unavailable engine', async () => {
  const failingOnce = (code: status) => async (attempt: number) => {
    const error = { code, details: '', metadata: new Metadata() };
    if (attempt === 0) throw Object.assign(new Error('not now'), error);
    return 'done';
  };
  const limits = { patienceMs: 0, behindMs: 10_000 };
  const behind = callWithRetries(failingOnce(status.FAILED_PRECONDITION), limits);
  expect(await behind).toBe('done');
  const unavailable = callWithRetries(failingOnce(status.UNAVAILABLE), limits);
  await expect(unavailable).rejects.toThrow('not now');
});
