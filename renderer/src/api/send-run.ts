import {
  createRun,
  createStatelessRun,
  deleteThread,
  type Run,
  waitStatelessRun,
} from './generated/index.ts';
import { currentService } from './desktop-service.ts';
import { ApiError } from './errors.ts';
import { getRun } from './generated/index.ts';
import { useSentRuns } from './sent-runs.ts';
import { watchRun } from './watched-runs.ts';

/** A request and its target. */
export interface RunRequest {
  /** Null: a run without a thread. */
  readonly threadId: string | null;
  /** Creates the thread for a run without one. */
  readonly makeThread?: (() => Promise<string>) | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly wait?: string | undefined;
}

/** Everything that the inspector can show of a run. */
export const inspectorModes = [
  'values',
  'updates',
  'messages',
  'custom',
  'tasks',
  'calls',
  'lifecycle',
] as const;

/** The options for a run to be followed in the inspector. */
export const inspected = { stream_mode: inspectorModes, stream_subgraphs: true };

/** Answers the open questions of a thread: a single one by its value, several by their ids. */
export function answerRequest(
  { thread_id, agent_id }: Pick<Run, 'thread_id'> & Partial<Pick<Run, 'agent_id'>>,
  answers: ReadonlyMap<string, unknown>,
): RunRequest {
  const [only] = answers.values();
  const resume = answers.size === 1 ? only : Object.fromEntries(answers);
  const agent = agent_id === undefined ? {} : { agent_id };
  return { threadId: thread_id, body: { ...agent, command: { resume }, ...inspected } };
}

/** Continues from the thread's head without a new input: a failed step is repeated. */
export function retryRequest({
  thread_id,
  agent_id,
}: Pick<Run, 'thread_id'> & Partial<Pick<Run, 'agent_id'>>): RunRequest {
  const agent = agent_id === undefined ? {} : { agent_id };
  return { threadId: thread_id, body: { ...agent, input: null, ...inspected } };
}

/** Creates a run and stores its request. */
export async function sendRun(given: RunRequest): Promise<Run> {
  const service = currentService();
  const made = given.threadId === null ? await given.makeThread?.() : undefined;
  const request = { ...given, threadId: given.threadId ?? made ?? null };
  const run = await create(request, { made });
  useSentRuns.getState().remember({
    service,
    runId: run.run_id,
    threadId: run.thread_id,
    isStateless: request.threadId === null,
    sentAt: Date.now(),
    body: request.body,
  });
  watchRun(run);
  return run;
}

/** `made` is the thread that was created for this run: one that does not come to be leaves none behind. */
async function create(
  { threadId, body, wait }: RunRequest,
  { made }: { made: string | undefined },
): Promise<Run> {
  const query = wait === undefined || wait === '' ? {} : { query: { wait } };
  try {
    if (threadId !== null) {
      const path = { thread_id: threadId };
      return (await createRun({ path, ...query, body, throwOnError: true })).data;
    }
    if (wait === undefined || wait === '') {
      return (await createStatelessRun({ body, throwOnError: true })).data;
    }
    return (await waitStatelessRun({ ...query, body, throwOnError: true })).data;
  } catch (error) {
    // The window elapsed: the run exists and continues (decisions: wait window elapsed).
    const runId =
      error instanceof ApiError && error.code === 'wait_elapsed' ? error.metadata['run_id'] : '';
    if (typeof runId !== 'string' || runId === '') {
      if (made !== undefined) await discard(made);
      throw error;
    }
    return (await getRun({ path: { run_id: runId }, throwOnError: true })).data;
  }
}

/** Deletes a thread without runs. The error to show is that of the run, not this one's. */
async function discard(threadId: string): Promise<void> {
  await deleteThread({ path: { thread_id: threadId }, throwOnError: true }).catch(() => undefined);
}
