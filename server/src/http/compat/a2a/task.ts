import { compositeRunId } from '../../../model/ids.ts';
import { isObject, type JsonText } from '../../../model/json.ts';
import type { RunView } from '../../../model/run/run.ts';
import { isoTime } from '../../response/iso-time.ts';
import { shownError } from '../present-run.ts';

/** A part of a message or an artifact (A2A 0.3, 6.5): files are not taken. */
export type Part = { kind: 'text'; text: string } | { kind: 'data'; data: Record<string, unknown> };

const states: Record<RunView['status'], string> = {
  pending: 'submitted',
  running: 'working',
  cancelling: 'working',
  completed: 'completed',
  interrupted: 'input-required',
  cancelled: 'canceled',
  error: 'failed',
};

/** The ids by which a task is known: that of the run, which has its thread's in it, and of the thread. */
export function idsOf({ threadId, runUuid }: RunView): { taskId: string; contextId: string } {
  return { taskId: compositeRunId(threadId, runUuid), contextId: threadId };
}

/** The status of a run as one of a task (6.2), with what an agent asks or failed with. */
export function statusOf(run: RunView, values?: JsonText): object {
  const message = messageOf(run, values);
  return {
    state: states[run.status],
    timestamp: isoTime(run.updatedAt),
    ...(message && { message: { kind: 'message', role: 'agent', ...message, ...idsOf(run) } }),
  };
}

function messageOf(
  run: RunView,
  values?: JsonText,
): { messageId: string; parts: Part[] } | undefined {
  const messageId = `${run.runUuid}-status`;
  if (run.status === 'error') {
    return { messageId, parts: [{ kind: 'text', text: shownError(run).message }] };
  }
  if (run.status !== 'interrupted' || values === undefined) return undefined;
  const state: unknown = JSON.parse(values);
  const questions = isObject(state) ? [state['__interrupt__'] ?? []].flat() : [];
  const parts = questions.map((one) => partOf(isObject(one) ? one['value'] : one));
  return { messageId, parts };
}

/** A run as a task (6.1); `values` are those of its end. */
export function taskOf(run: RunView, values?: JsonText): object {
  const { taskId, contextId } = idsOf(run);
  const isDone = run.status === 'completed' && values !== undefined;
  return {
    kind: 'task',
    id: taskId,
    contextId,
    status: statusOf(run, values),
    ...(isDone && { artifacts: [artifactOf(run, outputParts(values))] }),
    metadata: {},
  };
}

/** What a run has made (6.7); there is one artifact of each. */
export function artifactOf({ runUuid }: RunView, parts: readonly Part[]): object {
  return { artifactId: `${runUuid}-output`, name: 'output', parts };
}

/** What an agent has written last, otherwise its whole output. */
function outputParts(values: JsonText): Part[] {
  const state: unknown = JSON.parse(values);
  const messages = isObject(state) ? [state['messages'] ?? []].flat() : [];
  const last = messages.findLast((one) => isObject(one) && /^ai/i.test(String(one['type'])));
  const text = isObject(last) ? textOf(last['content']) : '';
  return [text === '' ? partOf(state) : { kind: 'text', text }];
}

/** The text in the content of a message. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  return blocks
    .map((block) => (isObject(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .join('');
}

function partOf(value: unknown): Part {
  if (typeof value === 'string') return { kind: 'text', text: value };
  return { kind: 'data', data: isObject(value) ? value : { value } };
}
