import { isObject, type JsonText, toJsonText } from '../../../model/json.ts';
import type { RunView } from '../../../model/run/run.ts';
import type { RunFollower } from '../../../threads/run-follower.ts';
import { asServiceError } from '../../response/error-handler.ts';
import { openSse } from '../../response/sse.ts';
import { isChunk } from '../message-log.ts';
import { artifactOf, idsOf, statusOf, taskOf, textOf } from './task.ts';

// JSON-RPC 2.0, 5.1
const INTERNAL_ERROR = -32_603;

/** What a task's stream is opened with. */
export interface TaskStream {
  /** Of the JSON-RPC request, whose responses the events are. */
  id: unknown;
  run: RunView;
  /** What the run left. */
  valuesOf: (run: RunView) => Promise<JsonText>;
}

/** Streams a task as `message/stream` does (A2A 0.3, 7.2): the task, what it writes, and its last status. */
export async function streamTask(
  res: Parameters<typeof openSse>[0],
  follower: RunFollower,
  { id, run, valuesOf }: TaskStream,
  {
    signal,
    heartbeatMs,
    onFailure,
  }: { signal: AbortSignal; heartbeatMs: number; onFailure: (error: unknown) => void },
): Promise<void> {
  const sse = openSse(res, { headers: {}, heartbeatMs });
  const send = async (result: object): Promise<void> =>
    sse.event({ name: 'message', data: toJsonText({ jsonrpc: '2.0', id, result }) });
  const update = (kind: string, more: object) => send({ kind, ...idsOf(run), ...more });
  try {
    await send(taskOf(run));
    let isBegun = false;
    for await (const item of follower.follow(run, 0, signal)) {
      if (item.kind === 'event') {
        const text = item.event.mode === 'messages' ? writtenIn(item.event.data) : '';
        if (text === '') continue;
        const artifact = artifactOf(run, [{ kind: 'text', text }]);
        await update('artifact-update', { artifact, append: isBegun, lastChunk: false });
        isBegun = true;
      }
      if (item.kind !== 'end') continue;
      const values = await valuesOf(item.run);
      const { artifacts: [artifact] = [] } = taskOf(item.run, values) as { artifacts?: object[] };
      if (artifact) await update('artifact-update', { artifact, append: false, lastChunk: true });
      await update('status-update', { status: statusOf(item.run, values), final: true });
    }
  } catch (error) {
    const { code, message } = asServiceError(error);
    if (code !== 'run_not_found' && !signal.aborted) onFailure(error);
    const removed = { ...run, status: 'cancelled' as const, updatedAt: Date.now() };
    if (code === 'run_not_found') {
      await update('status-update', { status: statusOf(removed), final: true });
    } else {
      const failure = { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } };
      await sse.event({ name: 'message', data: toJsonText(failure) });
    }
  } finally {
    sse.end();
  }
}

/** The text that a model's part of a message adds. */
function writtenIn(data: JsonText): string {
  const { message } = JSON.parse(data) as { message: unknown };
  return isObject(message) && isChunk(message) ? textOf(message['content']) : '';
}
