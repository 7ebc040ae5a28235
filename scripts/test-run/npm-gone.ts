// `npm test` is npm, a shell, and this process. When npm is killed, neither of the others is notified.
import { isCommandOfShell, parentOf } from './job-processes.ts';

const INTERVAL_MS = 1000;

/** Calls back once npm is gone, when this process was started by npm. */
export function whenNpmIsGone(onGone: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  // Not further up than npm: a terminal may be closed.
  const hasShell = isCommandOfShell(process.ppid);
  const starters = (): string => `${process.ppid} ${hasShell ? parentOf(process.ppid) : ''}`;
  const atFirst = starters();
  const timer = setInterval(() => {
    if (starters() === atFirst) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
}
