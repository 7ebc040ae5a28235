import { describe, expect, it } from 'vitest';
import { schedule, type Task } from './schedule.ts';

/** Tasks that end on request, and what happened. */
function makeTasks() {
  const events: string[] = [];
  const ends = new Map<string, (isGood: boolean) => void>();
  const task = (name: string, options: Partial<Task> = {}): Task => ({
    name,
    slots: 1,
    after: [],
    seconds: 0,
    isAlone: false,
    run: () => {
      events.push(`+${name}`);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    skip: (failedTask) => events.push(`${name} skipped by ${failedTask}`),
    ...options,
  });
  const end = async (name: string, isGood = true): Promise<void> => {
    events.push(`-${name}`);
    ends.get(name)?.(isGood);
    await new Promise(setImmediate);
  };
  return { events, task, end };
}

describe('the scheduler', () => {
  it('fills its slots, long tasks first', async () => {
    const { events, task, end } = makeTasks();
    const tasks = [task('a', { seconds: 1 }), task('b', { seconds: 9 }), task('c', { seconds: 5 })];
    const all = schedule(tasks, 2);
    await end('b');
    await end('c');
    await end('a');
    await all;
    expect(events).toEqual(['+b', '+c', '-b', '+a', '-c', '-a']);
  });

  it('begins a wide task when its slots are free, and gives the rest to others', async () => {
    const { events, task, end } = makeTasks();
    const tasks = [task('a', { seconds: 3 }), task('wide', { slots: 2, seconds: 2 }), task('b')];
    const all = schedule(tasks, 2);
    await end('a');
    await end('b');
    await end('wide');
    await all;
    expect(events).toEqual(['+a', '+b', '-a', '-b', '+wide', '-wide']);
  });

  it('keeps the machine free for a task that wants to be alone, at the end', async () => {
    const { events, task, end } = makeTasks();
    const tasks = [task('alone', { isAlone: true, seconds: 99 }), task('a'), task('b')];
    const all = schedule(tasks, 3);
    await end('a');
    await end('b');
    await end('alone');
    await all;
    expect(events).toEqual(['+a', '+b', '-a', '-b', '+alone', '-alone']);
  });

  it('waits for what a task needs, and skips what needs a task that failed', async () => {
    const { events, task, end } = makeTasks();
    const tasks = [
      task('test', { after: ['build'] }),
      task('build', { after: ['engine'] }),
      task('engine'),
      task('unit'),
    ];
    const all = schedule(tasks, 2);
    await end('engine', false);
    await end('unit');
    await all;
    expect(events).toEqual([
      '+engine',
      '+unit',
      '-engine',
      'build skipped by engine',
      'test skipped by build',
      '-unit',
    ]);
  });

  it('ends when the remaining ones wait for the last one, which failed', async () => {
    const { events, task, end } = makeTasks();
    const all = schedule([task('build'), task('a', { after: ['build'] })], 2);
    await end('build', false);
    await all;
    expect(events).toEqual(['+build', '-build', 'a skipped by build']);
  });

  it('refuses tasks that wait for each other', async () => {
    const { task } = makeTasks();
    const tasks = [task('a', { after: ['b'] }), task('b', { after: ['a'] })];
    await expect(schedule(tasks, 2)).rejects.toThrow('Tasks wait for each other: a, b');
  });
});
