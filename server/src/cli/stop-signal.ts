import { closeSync, openSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes the terminal's Ctrl+C on, so that one press arrives twice within milliseconds. */
const echoMs = 300;

/** Watches for the wish to stop, until it is closed. */
export interface StopSignal {
  /** Resolves at the first Ctrl+C or SIGTERM. */
  readonly first: Promise<void>;
  /** Resolves at the second. */
  readonly second: Promise<void>;
  close(): void;
}

/**
 * Takes Ctrl+C, SIGTERM and SIGHUP for this process: the first asks to stop, the second insists. With `onHangUp` a SIGHUP
 * is what operators of services mean by it, unless it says that the terminal has gone.
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

/** Whether the process has a terminal of its own. One that was closed is none any more. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
