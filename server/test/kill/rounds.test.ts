import { expect, test } from 'vitest';
import { requireInterrupted, playRounds, roundsOf } from './rounds.ts';

test('a round that missed its moment does not count and is played again, with other random numbers', async () => {
  const played: [number, number][] = [];
  await playRounds(
    'sometimes missed',
    ({ number, random }) => {
      played.push([number, random()]);
      requireInterrupted(played.length !== 1, 'too late');
      return Promise.resolve(0);
    },
    { count: 2 },
  );
  expect(played.map(([number]) => number)).toEqual([1, 1, 2]);
  expect(new Set(played.map(([, drawn]) => drawn)).size).toBe(3);
});

test('rounds that always miss fail', async () => {
  const missed = (): Promise<number> => {
    requireInterrupted(false, 'nothing was killed');
    return Promise.resolve(0);
  };
  await expect(playRounds('always missed', missed, { count: 1 })).rejects.toThrow(
    'nothing was killed',
  );
});

test('a round that failed is not repeated, and the ones after it are played', async () => {
  const played: [number, string][] = [];
  const failing = ({ number, language }: { number: number; language: string }): Promise<number> => {
    played.push([number, language]);
    return number === 1 ? Promise.reject(new Error('lost')) : Promise.resolve(0);
  };
  const rounds = playRounds('failing once', failing, { count: 2, first: 'ts' });
  await expect(rounds).rejects.toThrow('1 of 2 rounds failed');
  expect(played).toEqual([
    [1, 'ts'],
    [2, 'py'],
  ]);
});

test('a number of rounds is a whole one from 1 on', () => {
  expect(['1', '50'].map(roundsOf)).toEqual([1, 50]);
  for (const text of ['', ' ', '0', '-1', '1.5', 'many']) {
    expect(() => roundsOf(text)).toThrow(`KILL_ROUNDS is "${text}"`);
  }
});
