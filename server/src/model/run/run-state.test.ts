import { describe, expect, it } from 'vitest';
import { nextRunStatus, runTransitions, type RunEventKind } from './run-state.ts';
import type { RunStatus } from './run.ts';

const events: RunEventKind[] = ['complete', 'interrupt', 'fail', 'restart', 'cancel', 'stop'];

// Spec: States and transitions; decisions: "run transitions". Every pair, in the order of `events`.
const expected: Record<RunStatus, RunStatus[]> = {
  pending: ['pending', 'pending', 'pending', 'pending', 'pending', 'pending'],
  running: ['completed', 'interrupted', 'error', 'running', 'cancelling', 'cancelled'],
  cancelling: ['completed', 'cancelled', 'cancelled', 'cancelled', 'cancelling', 'cancelled'],
  interrupted: Array<RunStatus>(4).fill('interrupted').concat('cancelled', 'interrupted'),
  completed: Array<RunStatus>(6).fill('completed'),
  error: Array<RunStatus>(6).fill('error'),
  cancelled: Array<RunStatus>(6).fill('cancelled'),
};

describe('the run state machine', () => {
  for (const from of Object.keys(runTransitions) as RunStatus[]) {
    for (const [index, event] of events.entries()) {
      it(`${from} + ${event} -> ${expected[from][index] ?? 'nothing'}`, () => {
        expect(nextRunStatus(from, event)).toBe(expected[from][index]);
      });
    }
  }
});
