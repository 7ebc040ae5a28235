import { closeSync, openSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm forwards the terminal's Ctrl+C, so that one key press arrives twice within milliseconds. */
const echoMs = 300;

/** Watches for stop signals until it is closed. */
export interface StopSignal {
  /** Resolves at the first Ctrl+C or SIGTERM. */
  readonly first: Promise<void>;
  /** Resolves at the second. */
  readonly second: Promise<void>;
  close(): void;
}

/**
 * Handles Ctrl+C, SIGTERM and SIGHUP of this process: the first requests a stop, the second forces it. With `onHangUp`
 * a SIGHUP only calls that, as operators of services expect, unless the terminal was closed.
 */
export function watchStopSignals({ onHangUp }: { onHangUp?: () => void } = {}): StopSignal {
  const hadTerminal = hasTerminal();
  const listeners: (() => void)[] = [];
  const first = new Promise<void>((resolve) => listeners.push(resolve));
  const second = new Promise<void>((resolve) => listeners.push(resolve));
  let lastAt = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal === 'SIGHUP' && onHangUp && hasTerminal() === hadTerminal) return onHangUp();
    if (performance.now() - lastAt <= echoMs) return;
    lastAt = performance.now();
    listeners.shift()?.();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    first,
    second,
    close: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/** Whether the process has a controlling terminal. A closed one does not count. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
