import { isServiceError } from '../../errors/service-error.ts';
import { fromBytes } from '../../model/frame.ts';
import type { AgentId, RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText, type JsonText } from '../../model/json.ts';
import { runFacts, type RunView } from '../../model/run/run.ts';
import type { RunReport, ThreadReport } from '../../model/thread/thread-wire.ts';
import type { StoredWrite } from '../../model/checkpoint/stored.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { PendingInterrupt, ThreadView } from '../../model/thread/thread.ts';

/** Converts a run's report to its view. Spec: `attempt` is omitted unless the run was restarted. */
export async function runView(
  payloads: PayloadPort,
  threadId: ThreadId,
  report: RunReport,
): Promise<RunView> {
  const { attempt, lastFailure, queuePosition } = report;
  const { output, error } = await openOutput(payloads, threadId, report);
  const context = await openContext(payloads, threadId, report);
  return {
    threadId,
    ...runFacts(report),
    runUuid: report.runUuid as RunUuid, // was a RunUuid when the run was created
    agentId: report.agentId as AgentId, // likewise
    status: report.status,
    updatedAt: report.updatedAt,
    maxAttempts: report.maxAttempts,
    ...(attempt > 1 && { attempt }),
    ...(lastFailure && { lastFailure }),
    ...(queuePosition !== undefined && { queuePosition }),
    ...(error && { error }),
    ...(output !== undefined && { output }),
    ...(context !== undefined && { context }),
    ...(report.kwargs && { kwargs: report.kwargs }),
    ...(report.multitask && { multitaskStrategy: report.multitask }),
  };
}

/** The context; undefined where it cannot be read, which the attempts of the run report. */
async function openContext(
  payloads: PayloadPort,
  threadId: ThreadId,
  { context }: RunReport,
): Promise<JsonText | undefined> {
  if (!context) return undefined;
  try {
    return jsonText(fromBytes(await payloads.open(threadId, context)));
  } catch (cause) {
    const { code } = isServiceError(cause) ? cause : { code: undefined };
    if (code === 'checkpoint_not_found' || code === 'checkpoint_damaged') return undefined;
    throw cause;
  }
}

/** The output, or the error that prevents reading it: the run is reported nevertheless. */
async function openOutput(
  payloads: PayloadPort,
  threadId: ThreadId,
  { output, error }: RunReport,
): Promise<Pick<RunView, 'output' | 'error'>> {
  if (!output) return error ? { error } : {};
  try {
    return { output: jsonText(fromBytes(await payloads.open(threadId, output))) };
  } catch (cause) {
    // Dropped since the report was made: shed, or deleted with its run.
    if (isServiceError(cause) && cause.code === 'checkpoint_not_found')
      return error ? { error } : {};
    if (!isServiceError(cause) || cause.code !== 'checkpoint_damaged') throw cause;
    const { code, message } = cause;
    return { error: { code, message: `The output of the run cannot be read: ${message}` } };
  }
}

/** Converts a thread's report to its view. */
export function threadView(threadId: ThreadId, report: ThreadReport): ThreadView {
  const { status, createdAt, updatedAt, metadata, agentId, owner, origin } = report;
  const { headAt, error, jsonKeys } = report;
  const view = { threadId, status, createdAt, updatedAt, metadata };
  return {
    ...view,
    ...(agentId !== undefined && { agentId }),
    ...(owner !== undefined && { owner }),
    ...(origin && { origin }),
    ...(jsonKeys && { jsonKeys }),
    ...(headAt !== undefined && { stateUpdatedAt: Date.parse(headAt) }),
    ...(error && { error }),
  };
}

/** The interrupts of a report: [{id, value}], as the guest sent them. */
export async function pendingInterrupts(
  payloads: PayloadPort,
  report: ThreadReport,
): Promise<PendingInterrupt[]> {
  if (!report.interrupts) return [];
  const text = fromBytes(await payloads.open(report.threadId, report.interrupts));
  const parsed = parsedOr(text, []);
  return Array.isArray(parsed) ? parsed.filter(isInterrupt) : [];
}

/** Which task asks which question, by the pending writes that hold the questions. */
export function askingTasks(writes: readonly StoredWrite<Uint8Array>[]): Map<string, string> {
  return new Map(
    writes.flatMap(({ taskId, json }) => {
      const asked = parsedOr(json ? fromBytes(json) : '[]', []);
      return (Array.isArray(asked) ? asked : []).filter(isInterrupt).map(({ id }) => [id, taskId]);
    }),
  );
}

function isInterrupt(value: unknown): value is PendingInterrupt {
  return typeof value === 'object' && value !== null && 'id' in value;
}

/** The stored text is a guest's projection. A malformed one must not hide the rest of its thread. */
function parsedOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
