import type { RecordedRun } from '../../history/port.ts';
import { type JsonText, jsonText } from '../../model/json.ts';
import { wholeValues } from '../../model/checkpoint/state-values.ts';
import type { RunView } from '../../model/run/run.ts';
import type { HistoryEntry, StateSnapshot, ThreadView } from '../../model/thread/thread.ts';
import type { ServedAgent } from '../../threads/ports.ts';
import { compatStatus, shownError } from '../compat/present-run.ts';
import { presentCompatThread } from '../compat/present-thread.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced, writeJson } from '../response/json-writer.ts';
import { presentValues } from './protocol-values.ts';

/** What of a run is shown, of itself or of its record. */
type ShownRun = Pick<
  RunView,
  'runUuid' | 'threadId' | 'agentId' | 'createdAt' | 'updatedAt' | 'metadata'
> &
  Parameters<typeof compatStatus>[0] &
  Parameters<typeof shownError>[0];

/** A run in Agent Protocol's form, which has no status for one that runs. */
export function presentProtocolRun(run: ShownRun) {
  const status = compatStatus(run);
  return {
    run_id: run.runUuid,
    thread_id: run.threadId,
    agent_id: run.agentId,
    created_at: isoTime(run.createdAt),
    updated_at: isoTime(run.updatedAt),
    status: status === 'running' ? 'pending' : status,
    metadata: run.metadata,
    ...(run.error && { error: shownError(run) }),
  };
}

/** The same of a record of the run history. */
export function presentRecorded({ activityAt, agentId, ...run }: RecordedRun) {
  const id = agentId as ShownRun['agentId']; // as it was recorded
  return presentProtocolRun({ ...run, agentId: id, updatedAt: activityAt });
}

/** What a client that waited for a run gets. */
export async function presentOutcome(run: RunView, values: JsonText): Promise<JsonText> {
  const hasValues = run.status !== 'error' && values !== 'null';
  const shown = hasValues ? await presentValues(wholeValues(values)) : {};
  return jsonText(writeJson({ run: presentProtocolRun(run), ...shown }));
}

/** A thread in Agent Protocol's form; with the questions that it waits for, which the document does not know. */
export async function presentProtocolThread(view: ThreadView, state?: StateSnapshot) {
  const { values: _, interrupts, ...thread } = presentCompatThread(view, state);
  return {
    thread_id: thread.thread_id,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    metadata: thread.metadata,
    status: thread.status,
    ...(state && (await presentValues(state.values))),
    ...(Object.keys(interrupts).length > 0 && { interrupts }),
    ...(thread.error && { error: thread.error }),
  };
}

/** A past state of a thread. */
export async function presentProtocolState({ id, ns, values, metadata }: HistoryEntry) {
  return {
    checkpoint: { checkpoint_id: id, checkpoint_ns: ns },
    ...(await presentValues(values)),
    metadata: spliced(metadata),
  };
}

/** An agent in Agent Protocol's form; whether it takes messages is known where its schemas are. */
export function presentProtocolAgent(agent: ServedAgent, hasMessages?: boolean) {
  const { agentId, name, description, metadata } = agent;
  return {
    agent_id: agentId,
    name,
    ...(description !== undefined && { description }),
    metadata: metadata ?? {},
    capabilities: {
      ...(hasMessages !== undefined && { 'ap.io.messages': hasMessages }),
      'ap.io.streaming': true,
    },
  };
}
