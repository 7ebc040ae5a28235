import { expect, it } from 'vitest';
import { started, thread, ticket } from '../../test/fixtures/thread-builder.ts';
import {
  ACTIVE_CONTINUE_BYTES,
  ACTIVE_CONTINUE_EVENTS,
  ACTIVE_CONTINUE_UPDATES,
  IDLE_CONTINUE_BYTES,
  IDLE_CONTINUE_EVENTS,
  IDLE_CONTINUE_STRETCH,
} from '../model/limits/limits.ts';
import { unpackFrame } from '../model/frame.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import { enqueueRun } from '../model/thread/thread-state.ts';
import type { ThreadStart } from '../model/thread/thread-wire.ts';
import type { ContinueReport } from './messages.ts';
import { NextExecution } from './next-execution.ts';

/** An execution whose history the test writes. What ends it throws, as the SDK does. */
function execution(state: ThreadState, begin = { historyLength: 3, historySize: 1_000 }) {
  const history = { ...begin };
  const settled: string[] = [];
  const reports: ContinueReport[] = [];
  const next: Uint8Array[] = [];
  let stopped = 0;
  const ended = new Error('continued as new');
  const way = new NextExecution(state, {
    history: () => history,
    continueAsNew(frame) {
      next.push(frame);
      return Promise.reject(ended);
    },
    untilHandlersFinish: () => Promise.resolve(),
    hints: {
      runSettled: (_thread, runUuid, status) => settled.push(`${runUuid} ${status}`),
      continued: (report) => reports.push(report),
      budgetExceeded: () => (stopped += 1),
    },
  });
  const grow = (by: Partial<typeof history>): void => {
    Object.assign(history, by);
    way.measure();
  };
  return { way, history, grow, settled, reports, next, ended, wasStopped: () => stopped === 1 };
}

/** A thread that fits into no execution: what cannot be shed is its metadata. */
function tooLarge(): ThreadState {
  const state = thread();
  state.metadata = { large: 'x'.repeat(8 * 1024 * 1024) };
  return state;
}

it.each([
  ['events', { historyLength: IDLE_CONTINUE_EVENTS }, { historyLength: ACTIVE_CONTINUE_EVENTS }],
  [
    'bytes beyond those that it began with',
    { historySize: 1_000 + IDLE_CONTINUE_BYTES },
    { historySize: ACTIVE_CONTINUE_BYTES },
  ],
])('is due by %s, with an active run later than without one', (_, whenIdle, whenActive) => {
  const idle = execution(thread());
  expect(idle.way.isDue()).toBe(false);
  idle.grow(whenIdle);
  expect(idle.way.isDue()).toBe(true);

  const state = thread();
  started(state, 'run');
  const active = execution(state);
  active.grow(whenIdle);
  expect(active.way.isDue()).toBe(false);
  active.grow(whenActive);
  expect(active.way.isDue()).toBe(true);
});

it('is due by Updates, which the engine counts for each execution', () => {
  const { way } = execution(thread());
  for (let count = 1; count < ACTIVE_CONTINUE_UPDATES; count += 1) way.countUpdate();
  expect(way.isDue()).toBe(false);
  way.countUpdate();
  expect(way.isDue()).toBe(true);
});

it('is not due by the events of a refused Update, which leaves none', () => {
  const { way, history } = execution(thread());
  history.historyLength = IDLE_CONTINUE_EVENTS;
  expect(way.isDue()).toBe(false);
  way.countUpdate();
  expect(way.isDue()).toBe(true);
});

it('hands the whole state on, and reports whether a run is active', async () => {
  const state = thread();
  started(state, 'run');
  const { way, ended, next, reports } = execution(state);
  await expect(way.continueAsNew()).rejects.toBe(ended);
  expect(reports).toMatchObject([{ threadId: state.threadId, trigger: 'active' }]);
  const start = unpackFrame<ThreadStart>(next[0] ?? new Uint8Array());
  expect(start).toMatchObject({
    kind: 'continued',
    snapshot: { thread: { active: 'run' }, runs: [{ runUuid: 'run' }] },
  });
});

it('continues in this execution for a while where the thread does not fit, and then stops it with all its runs', async () => {
  const state = tooLarge();
  const active = started(state, 'active');
  enqueueRun(state, ticket('queued'));
  const { way, grow, settled, wasStopped } = execution(state);
  grow({ historySize: ACTIVE_CONTINUE_BYTES });
  expect(way.isDue()).toBe(true);
  await way.continueAsNew();
  expect(way.isDue()).toBe(false);
  expect(active.status).toBe('running');

  grow({ historySize: 2 * ACTIVE_CONTINUE_BYTES });
  expect(way.isDue()).toBe(true);
  await way.continueAsNew();
  expect(settled).toEqual(['active error', 'queued error']);
  expect(state.stopped?.code).toBe('CANPayloadBudgetExceeded');
  expect(wasStopped()).toBe(true);
  expect(way.isDue()).toBe(false);
});

it('doubles the mark of an idle thread that does not fit, until that is too far', async () => {
  const state = tooLarge();
  const { way, grow } = execution(state);
  let marks = 0;
  for (let mark = IDLE_CONTINUE_EVENTS; state.stopped === undefined; mark *= 2) {
    grow({ historyLength: mark });
    expect(way.isDue()).toBe(true);
    await way.continueAsNew();
    marks += 1;
  }
  expect(2 ** marks).toBe(2 * IDLE_CONTINUE_STRETCH);
});
