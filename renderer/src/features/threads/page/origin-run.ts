import { getHistory, listRuns } from '../../../api/generated/sdk.gen.ts';
import type { Run, Thread } from '../../../api/generated/types.gen.ts';
import { runToCompare } from './run-to-compare.ts';

/** What a thread is a copy of. */
export type ThreadOrigin = NonNullable<Thread['copied_from']>;

/** The most that one page has; of a longer thread the newest run is taken. */
const limit = 1_000;

/** The run of the origin to compare a run of its copy with; undefined when the origin never ran. */
export async function readOriginRun({
  thread_id: threadId,
  checkpoint_id: checkpointId,
}: ThreadOrigin): Promise<Run | undefined> {
  const request = { path: { thread_id: threadId }, query: { limit }, throwOnError: true } as const;
  const [history, runs] = await Promise.all([getHistory(request), listRuns(request)]);
  return runToCompare(history.data, runs.data, checkpointId);
}
