import { visibleInterrupt } from './checkpoint-codec.ts';
import { describeError } from './guest-error.ts';
import { isRecord } from './run-config.ts';

/** What became of a node or a call. */
export interface Outcome {
  status: 'completed' | 'error' | 'interrupted';
  output?: unknown;
  error: { type: string; message: string } | null;
}

/** That of one that threw: LangGraph also throws to stop and to go on elsewhere. */
export function outcomeOf(thrown: unknown, isCancelled: boolean): Outcome {
  try {
    if (isRecord(thrown) && thrown['is_bubble_up'] === true) {
      const { interrupts, command } = thrown;
      if (!Array.isArray(interrupts)) return { status: 'completed', output: command, error: null };
      const output = { __interrupt__: interrupts.map(visibleInterrupt) };
      return { status: 'interrupted', output, error: null };
    }
    const { type, message } = describeError(thrown);
    return { status: 'error', error: { type: isCancelled ? 'CancelledError' : type, message } };
  } catch {
    // An error whose own properties throw.
    return { status: 'error', error: { type: 'Error', message: '' } };
  }
}
