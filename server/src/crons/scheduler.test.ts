import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.ts';
import { jsonText } from '../model/json.ts';
import { openCrons } from './open-crons.ts';
import type { CronContent, CronsPort } from './port.ts';
import { CronScheduler, type FireCron } from './scheduler.ts';

const ada = { sub: 'ada', mroles: [], claims: { sub: 'ada' } };
const hourly: CronContent = {
  ...{ assistantId: 'a', schedule: '0 * * * *', isEnabled: true, metadata: {} },
  payload: jsonText('{}'),
};
const HOUR = 3_600_000;

let folder: string;
let crons: CronsPort;
let fired: string[];
let outcomes: string[];
let fire: FireCron;
const schedulers: CronScheduler[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scheduler-'));
  const toFake = ['Date', 'setTimeout', 'clearTimeout'] as const;
  vi.useFakeTimers({ toFake: [...toFake], now: Date.parse('2026-11-27T09:30:00Z') });
  crons = openCrons({ provider: 'sqlite', path: join(folder, 'crons.db') });
  [fired, outcomes] = [[], []];
  fire = async ({ cron, at }) => {
    fired.push(`${cron.cronId} ${new Date(at).toISOString().slice(11, 16)}`);
  };
});
afterEach(async () => {
  vi.useRealTimers();
  for (const scheduler of schedulers.splice(0)) await scheduler.close();
  await crons.close();
  await rm(folder, { recursive: true });
});

function start(): CronScheduler {
  const firings = { inc: ({ outcome }: { outcome: string }) => void outcomes.push(outcome) };
  const logger = { warn: () => undefined };
  const scheduler = new CronScheduler({ crons, fire: (due) => fire(due), firings, logger });
  schedulers.push(scheduler);
  scheduler.wake();
  return scheduler;
}

/** The clock goes on in steps in which the database responds. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 60_000));
    await settled();
  }
}
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

it('makes the runs of crons when they are due, also of one that is made meanwhile', async () => {
  start();
  await settled();
  await crons.create('a', ada, hourly);
  await pass(HOUR);
  expect(fired).toEqual(['a 10:00']);
  await crons.create('b', ada, { ...hourly, schedule: '45 * * * *' });
  await pass(HOUR);
  expect(fired).toEqual(['a 10:00', 'b 10:45', 'a 11:00']);
  expect(outcomes).toEqual(['made', 'made', 'made']);
});

it('opens nothing where there are no crons', async () => {
  start();
  await pass(HOUR);
  expect(crons.mayHaveSome()).toBe(false);
});

it('makes up for the newest of the times at which there was no service', async () => {
  await crons.create('a', ada, hourly);
  vi.setSystemTime(Date.now() + 5 * HOUR);
  start();
  await settled();
  expect(fired).toEqual(['a 14:00']);
  await pass(HOUR);
  expect(fired).toEqual(['a 14:00', 'a 15:00']);
});

it('makes up for all crons, however many are due', async () => {
  const ids = Array.from({ length: 25 }, (_, index) => String(index));
  for (const id of ids) await crons.create(id, ada, hourly);
  vi.setSystemTime(Date.now() + HOUR);
  start();
  await pass(1);
  expect(fired.toSorted()).toEqual(ids.map((id) => `${id} 10:00`).toSorted());
});

it('makes no run of one that is disabled, over or deleted', async () => {
  await crons.create('off', ada, { ...hourly, isEnabled: false });
  await crons.create('over', ada, { ...hourly, endTime: Date.now() });
  await crons.create('gone', ada, hourly);
  start();
  await settled();
  await crons.delete('gone');
  await pass(HOUR);
  expect(fired).toEqual([]);
});

it('tries again what cannot be made at present, until its next time', async () => {
  const make = fire;
  let fails = 3;
  const tries: number[] = [];
  fire = async (due) => {
    tries.push(Date.now());
    if (fails-- > 0) throw new ServiceError('engine_unavailable', 'away');
    return make(due);
  };
  await crons.create('a', ada, hourly);
  await crons.create('b', ada, { ...hourly, schedule: '1 10 * * *' });
  start();
  await pass(31 * 60_000);
  expect(fired).toEqual(['a 10:00', 'b 10:01']);
  expect(tries.slice(1, 4).map((time, index) => time - (tries[index] ?? 0))).toEqual([
    1_000, 2_000, 4_000,
  ]);
  expect(outcomes).toEqual(['retried', 'retried', 'retried', 'made', 'made']);
  fails = 1_000;
  await pass(2 * HOUR);
  fails = 0;
  await pass(60_000);
  expect(fired.at(-1)).toBe('a 12:00');
});

it('leaves a time out for which there can be no run, and disables a cron without its thread', async () => {
  fire = ({ cron }) => {
    const code = cron.threadId === undefined ? 'permission_denied' : 'thread_not_found';
    return Promise.reject(new ServiceError(code, 'no'));
  };
  await crons.create('a', ada, hourly);
  await crons.create('b', ada, { ...hourly, threadId: 't' });
  start();
  await pass(HOUR);
  expect(outcomes).toEqual(['failed', 'failed']);
  expect(await crons.read('a')).toMatchObject({ isEnabled: true, nextAt: Date.now() + HOUR / 2 });
  expect(await crons.read('b')).toMatchObject({ isEnabled: false });
});

it('sleeps while nothing is due', async () => {
  await crons.create('a', ada, { ...hourly, schedule: '0 0 1 1 *' });
  let looks = 0;
  const due = crons.due.bind(crons);
  crons.due = (...asked) => {
    looks += 1;
    return due(...asked);
  };
  start();
  await pass(HOUR);
  expect(looks).toBeLessThanOrEqual(61);
});
