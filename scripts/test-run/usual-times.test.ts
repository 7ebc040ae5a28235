import { expect, it } from 'vitest';
import { planJobs } from './plan.ts';
import { limitSeconds, readUsualTimes } from './usual-times.ts';

const times = { both: 10, 'both (rest)': 20, push: 10 };

it('a job may take three times its usual time and a minute more', () => {
  expect(limitSeconds(times, 'both', 'push')).toBe(3 * 10 + 60);
  expect(limitSeconds(times, 'both', 'rest')).toBe(3 * 20 + 60);
  expect(limitSeconds(times, 'both', 'all')).toBe(3 * (10 + 20) + 60);
});

it('tests whose time is not known have five minutes, also where the others of the job are known', () => {
  expect(limitSeconds(times, 'push', 'rest')).toBe(300 + 60);
  expect(limitSeconds(times, 'push', 'all')).toBe(3 * 10 + 300 + 60);
  expect(limitSeconds(times, 'new', 'push')).toBe(300 + 60);
});

it('is known for every job of npm test and of npm run test:all', () => {
  const times = readUsualTimes();
  const named = (['push', 'rest'] as const).flatMap((selection) =>
    planJobs({ selection, suiteNames: [], filters: [] }).map(({ name }) =>
      selection === 'push' ? name : `${name} (rest)`,
    ),
  );
  // `npm test -- --record-times` and `npm test -- --tests rest --record-times` write it.
  expect(named.filter((name) => times[name] === undefined)).toEqual([]);
});
