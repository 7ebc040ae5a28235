import { getHistory, listRuns } from '../../../api/generated/sdk.gen.ts';
import type { Run } from '../../../api/generated/types.gen.ts';
import type { ThreadOrigin } from '../../../api/thread-origin.ts';
import { runToCompare } from './run-to-compare.ts';

/** The most that one page has; of a longer thread the newest run is taken. */
const limit = 1_000;

/** The run of the origin to compare a run of its copy with; undefined when the origin never ran. */
export async function readOriginRun({
  threadId,
  checkpoint,
}: ThreadOrigin): Promise<Run | undefined> {
  const request = { path: { thread_id: threadId }, query: { limit }, throwOnError: true } as const;
  const [history, runs] = await Promise.all([getHistory(request), listRuns(request)]);
  return runToCompare(history.data, runs.data, checkpoint?.id);
}
