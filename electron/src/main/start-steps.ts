import type { StartStep, StepName } from '../ipc/contract.ts';

/** The steps of one start, with how long each took. */
export interface StartSteps {
  list(): StartStep[];
  begin(name: StepName): void;
  /** What the running step is doing. */
  report(message: string): void;
  finish(): void;
  /** Marks the running step, and returns which it was. */
  fail(): StepName | undefined;
}

/** No step has started. */
export function createStartSteps(
  names: readonly StepName[],
  now: () => number = () => performance.now(),
): StartSteps {
  let steps: StartStep[] = names.map((name) => ({ name, state: 'waiting' }));
  let begunAt = 0;

  function end(state: 'done' | 'failed'): StepName | undefined {
    const running = steps.find((step) => step.state === 'running');
    const ms = Math.round(now() - begunAt);
    steps = steps.map((step) => (step === running ? { ...step, state, ms } : step));
    return running?.name;
  }

  return {
    list: () => steps,
    begin(name) {
      end('done');
      begunAt = now();
      steps = steps.map((step) => (step.name === name ? { ...step, state: 'running' } : step));
    },
    report(message) {
      steps = steps.map((step) => (step.state === 'running' ? { ...step, message } : step));
    },
    finish: () => void end('done'),
    fail: () => end('failed'),
  };
}
