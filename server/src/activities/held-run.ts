/** What both activities of an attempt do with the invocation that they hold. */
import type { Context } from '@temporalio/activity';
import type { RunView } from '../model/run/run.ts';
import { settledView } from './attempt-result.ts';
import type { Hold, LiveEnd, LiveRun } from './live-run.ts';
import type { Attempt } from './ports.ts';

/**
 * Stops the invocation when its activity is cancelled, as long as the activity holds it. An activity that the engine no
 * longer knows lets go of it instead. Returns what ends this.
 */
export function stopWhenCancelled(run: LiveRun, hold: Hold, context: Context): () => void {
  const { cancellationSignal } = context;
  const onCancel = (): void => {
    const details = context.cancellationDetails;
    if (details?.notFound) run.release(hold);
    else if (!hold.isLost()) run.stop(details?.workerShutdown ? 'shutdown' : 'cancel');
  };
  cancellationSignal.addEventListener('abort', onCancel, { once: true });
  if (cancellationSignal.aborted) onCancel();
  return () => cancellationSignal.removeEventListener('abort', onCancel);
}

/** Closes an invocation whose end is durable. Returns the run as later reads will report it, when that is certain. */
export function closeRecorded(
  run: LiveRun,
  attempt: Attempt,
  { remember, result, end }: LiveEnd,
): RunView | undefined {
  remember();
  run.close();
  return run.isStopped ? undefined : settledView(attempt, result, end);
}
