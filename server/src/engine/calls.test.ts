import { expect, it } from 'vitest';
import { deferred } from '../../test/fixtures/deferred.ts';
import { UpdateGate } from './calls.ts';

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
