import type { ContinueAsNewOptions } from '@temporalio/workflow';
import { agentToken, memoOf, metadataTokens, runIndexOf } from '../model/thread/thread-index.ts';
import type { ThreadState } from '../model/thread/thread-record.ts';
import { threadStatus } from '../model/thread/thread-state.ts';
import type { RunIndex } from '../model/thread/thread.ts';

export type SearchAttributePair = Extract<
  ContinueAsNewOptions['typedSearchAttributes'],
  unknown[]
>[number];

const THREAD_STATUS = { name: 'ThreadStatus', type: 'KEYWORD' } as const;
const THREAD_META = { name: 'ThreadMeta', type: 'KEYWORD_LIST' } as const;
const RUN_STATUS = { name: 'RunStatus', type: 'KEYWORD' } as const;
const RUN_AGENT = { name: 'RunAgent', type: 'KEYWORD' } as const;
const EPHEMERAL = { name: 'Ephemeral', type: 'BOOL' } as const;

/** Writes to the visibility store; replaces the named entries and leaves the rest. */
export interface IndexWriter {
  upsertSearchAttributes(pairs: SearchAttributePair[]): void;
  upsertMemo(memo: Record<string, unknown>): void;
}

/** Keeps the visibility store's entry of a thread up to date. */
export interface ThreadIndex {
  /** The status and the newest run. Each change costs a visibility write. */
  publish(): void;
  publishMetadata(): void;
}

/**
 * Keeps the visibility store up to date. A thread that was idle, ran for less than its first batch and is idle again
 * publishes nothing when the agent and the outcome are those of the previous run.
 */
export function createThreadIndex(
  state: ThreadState,
  { upsertSearchAttributes, upsertMemo }: IndexWriter,
): ThreadIndex {
  function publish(): void {
    if (state.isEphemeral) return;
    const status = threadStatus(state);
    const run = runIndexOf(state);
    if (status === state.publishedStatus && isSameRun(run, state.publishedRun)) return;
    state.publishedStatus = status;
    state.publishedRun = run;
    upsertSearchAttributes([{ key: THREAD_STATUS, value: status }, ...runPairs(run)]);
  }

  return {
    publish,
    publishMetadata() {
      if (state.isEphemeral) return;
      upsertSearchAttributes(metadataPairs(state));
      upsertMemo(memoOf(state));
    },
  };
}

/** The entry of a thread's next execution: the visibility store has a row for each execution. */
export function indexOfNext(
  state: ThreadState,
  currentMemo: Record<string, unknown> | undefined,
): {
  memo?: Record<string, unknown>;
  typedSearchAttributes?: SearchAttributePair[];
} {
  // Inherited from this execution.
  if (state.isEphemeral) return {};
  const memo = { ...currentMemo, ...memoOf(state) };
  return { memo, typedSearchAttributes: publishedPairs(state) };
}

function publishedPairs(state: ThreadState): SearchAttributePair[] {
  return [
    { key: THREAD_STATUS, value: state.publishedStatus },
    { key: EPHEMERAL, value: false },
    ...runPairs(state.publishedRun),
    ...metadataPairs(state),
  ];
}

function runPairs({ runStatus, agentId }: RunIndex): SearchAttributePair[] {
  return [
    { key: RUN_STATUS, value: runStatus },
    ...(agentId === undefined ? [] : [{ key: RUN_AGENT, value: agentToken(agentId) }]),
  ];
}

function metadataPairs({ metadata }: ThreadState): SearchAttributePair[] {
  const tokens = metadataTokens(metadata);
  return tokens.length === 0 ? [] : [{ key: THREAD_META, value: tokens }];
}

function isSameRun(one: RunIndex, other: RunIndex): boolean {
  return one.runStatus === other.runStatus && one.agentId === other.agentId;
}
