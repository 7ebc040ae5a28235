import { expect, it } from 'vitest';
import { newestTime, nextTime, requireSchedule } from './schedule.ts';

const newYork = 'America/New_York';
const at = (time: string): number => Date.parse(time);
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 16);

function following(schedule: string, from: string, count: number, timezone?: string) {
  const times: (string | undefined)[] = [];
  let time: number | undefined = at(from);
  while (times.length < count && time !== undefined) {
    time = nextTime({ schedule, ...(timezone !== undefined && { timezone }) }, time);
    times.push(iso(time));
  }
  return times;
}

it.each(['* * * * *', '*/5 9-17 * * MON-FRI', '0 0 1,15 JAN *', '@daily', ' 0 0 29 2 * '])(
  'takes %j',
  (schedule) => expect(() => requireSchedule({ schedule })).not.toThrow(),
);

it('is in UTC without a time zone, and after its beginning', () => {
  expect(following('30 14 * * *', '2026-03-01T14:30:00Z', 2)).toEqual([
    '2026-03-02T14:30',
    '2026-03-03T14:30',
  ]);
});

it('fits either the day of the month or that of the week, when both are named', () => {
  expect(following('0 0 13 * 5', '2026-11-27T00:00:00Z', 3)).toEqual([
    '2026-12-04T00:00',
    '2026-12-11T00:00',
    '2026-12-13T00:00',
  ]);
});

it('comes right after an hour that the clocks leave out', () => {
  // 02:30 is not on March 8: 03:00 in summer time is the first time behind it.
  expect(following('30 2 * * *', '2026-03-07T00:00:00Z', 3, newYork)).toEqual([
    '2026-03-07T07:30',
    '2026-03-08T07:00',
    '2026-03-09T06:30',
  ]);
});

it('comes once in an hour that the clocks repeat, unless it comes every hour', () => {
  expect(following('30 1 * * *', '2026-10-31T12:00:00Z', 2, newYork)).toEqual([
    '2026-11-01T05:30',
    '2026-11-02T06:30',
  ]);
  expect(following('0 * * * *', '2026-11-01T04:30:00Z', 3, newYork)).toEqual([
    '2026-11-01T05:00',
    '2026-11-01T06:00',
    '2026-11-01T07:00',
  ]);
});

it('has no time after its end', () => {
  const daily = { schedule: '0 0 * * *', endTime: at('2026-03-02T00:00:00Z') };
  expect(iso(nextTime(daily, at('2026-03-01T12:00:00Z')))).toBe('2026-03-02T00:00');
  expect(nextTime(daily, at('2026-03-02T00:00:00Z'))).toBeUndefined();
});

it.each([
  ['0 0 * * *', '2026-03-01T00:00', '2026-03-01T00:00', '2026-03-01T00:00'],
  ['0 0 * * *', '2026-03-01T00:00', '2026-03-05T23:59', '2026-03-05T00:00'],
  ['*/5 * * * *', '2026-03-01T00:00', '2027-03-01T00:07', '2027-03-01T00:05'],
  ['30 2 * * *', '2026-03-07T07:30', '2026-03-08T07:00', '2026-03-08T07:00'],
  ['30 2 * * *', '2026-03-07T07:30', '2026-03-08T06:59', '2026-03-07T07:30'],
  ['30 1 * * *', '2026-10-31T05:30', '2026-11-01T12:00', '2026-11-01T05:30'],
])('the newest time of %s, planned at %s, is by %s that of %s', (schedule, from, now, newest) => {
  const times = { schedule, timezone: schedule.startsWith('30') ? newYork : 'UTC' };
  expect(iso(newestTime(times, at(`${from}:00Z`), at(`${now}:00Z`)))).toBe(newest);
});

it('has no newest time after its end', () => {
  const daily = { schedule: '0 0 * * *', endTime: at('2026-03-03T12:00:00Z') };
  const newest = newestTime(daily, at('2026-03-01T00:00:00Z'), at('2026-04-01T00:00:00Z'));
  expect(iso(newest)).toBe('2026-03-03T00:00');
});
