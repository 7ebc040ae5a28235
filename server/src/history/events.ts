import type { JsonText } from '../model/json.ts';
import type { RunId, RunUuid, ThreadId } from '../model/ids.ts';
import type { RunError, RunStart, RunStatus } from '../model/run/run.ts';
import type { RecordedLine } from './port.ts';

/** What a run is from its creation on. */
export interface RunOrigin {
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: string;
  agentVersion?: string;
  createdAt: number;
  sub?: string;
  metadata: Record<string, unknown>;
  start: RunStart;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  kind: 'completed' | 'interrupted' | 'error' | 'cancelled' | 'crash' | 'infra';
  output?: JsonText;
  error?: RunError;
}

/** A run as its thread reports it. */
export interface FoundRunState {
  status: RunStatus;
  at: number;
  /** Counted from 1; absent: it has not begun, as far as its thread tells. */
  attempt?: number;
  output?: JsonText;
  error?: RunError;
}

/** What the thread of the history receives, in the order in which it happened. Times are milliseconds since 1970. */
export type HistoryEvent =
  | { kind: 'created'; runId: RunId; origin: RunOrigin; status: RunStatus }
  | {
      kind: 'begun';
      runId: RunId;
      attempt: number;
      at: number;
      /** Absent when an earlier event of this process has it. */
      origin?: RunOrigin;
    }
  /** The invocation goes on under another attempt: its thread has changed executions. */
  | { kind: 'continued'; runId: RunId; attempt: number }
  /** The JSON of a trace chunk, as the guest made it. */
  | { kind: 'traced'; runId: RunId; json: JsonText }
  | { kind: 'ended'; runId: RunId; attempt: number; at: number; outcome: AttemptOutcome }
  | { kind: 'settled'; runId: RunId; status: RunStatus; at: number }
  /** What the thread of a run reports that had not settled when the service was last stopped. */
  | { kind: 'found'; runId: RunId; found: FoundRunState }
  | { kind: 'lines'; runId: RunId; lines: RecordedLine[] }
  /** Events of the run were dropped. */
  | { kind: 'incomplete'; runId: RunId }
  /** A thread that lists show: not that of a stateless run. A copy has the title of its source. */
  | { kind: 'thread_seen'; threadId: ThreadId; at: number; copyOf?: ThreadId }
  | { kind: 'run_deleted'; runId: RunId }
  | { kind: 'thread_deleted'; threadId: ThreadId };
