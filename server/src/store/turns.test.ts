import { expect, it } from 'vitest';
import { NoTurn, Turns } from './turns.ts';

it('lets so many go at a time, first come, first served', async () => {
  const turns = new Turns(2, 10_000);
  const order: number[] = [];
  const all = [1, 2, 3, 4].map((number) => turns.take().then(() => order.push(number)));
  await new Promise(setImmediate);
  expect(order).toEqual([1, 2]);
  turns.give();
  await all[2];
  expect(order).toEqual([1, 2, 3]);
  turns.give();
  await Promise.all(all);
  turns.give();
  turns.give();
  await turns.take();
});

it('gives up when the time is over, and then takes no turn from others', async () => {
  const turns = new Turns(1, 20);
  await turns.take();
  await expect(turns.take()).rejects.toBeInstanceOf(NoTurn);
  turns.give();
  await turns.take();
});
