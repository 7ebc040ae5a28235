/*
 * Run history: a record of every run for people. It is written beside the run and is never the truth about it: the
 * thread is. `recorder.ts` collects what happens in this process and hands it to a thread of its own
 * (`thread/history-thread.ts`), which builds the records, writes them to SQLite or PostgreSQL, and searches them.
 */
import type { JsonText } from '../model/json.ts';
import type { RunId, RunUuid, ThreadId } from '../model/ids.ts';
import type { RunError, RunStatus } from '../model/run/run.ts';

/** How much is recorded: with `metadata` neither inputs, outputs, messages nor log lines. */
export type RecordedDetail = 'full' | 'metadata';

/** A value that is recorded: its JSON, or the beginning of it when it is too large. */
export interface RecordedValue {
  json: JsonText;
  /** The length of the whole JSON, when `json` is only `{truncated, bytes, preview}`. */
  truncatedFrom?: number;
}

/** Tokens of model calls. */
export interface TokenUsage {
  input: number;
  output: number;
  total: number;
}

/** A run as lists show it. Times are milliseconds since 1970. */
export interface RecordedRun {
  runId: RunId;
  threadId: ThreadId;
  runUuid: RunUuid;
  agentId: string;
  agentVersion?: string;
  status: RunStatus;
  /** The `sub` of the principal that created it. */
  sub?: string;
  createdAt: number;
  begunAt?: number;
  firstTokenAt?: number;
  endedAt?: number;
  /** The latest change of the record. */
  activityAt: number;
  /** From the beginning of the first attempt to the end. */
  durationMs?: number;
  attempts: number;
  error?: RunError;
  /** The beginning of the input and of the output, as text. */
  inputPreview?: string;
  outputPreview?: string;
  tokens: TokenUsage;
  /** In the currency of the prices; absent without a price for each model. */
  cost?: number;
  metadata: Record<string, unknown>;
  /** Something of it was lost: the process was killed, or more happened than could be recorded. */
  isIncomplete: boolean;
}

/** What a span of a trace stands for. */
export type SpanKind = 'attempt' | 'node' | 'model' | 'tool';

/** `lost`: its process ended first. */
export type SpanStatus = 'running' | 'completed' | 'error' | 'interrupted' | 'cancelled' | 'lost';

/** One entry of a run's trace. */
export interface TraceSpan {
  id: string;
  parentId?: string;
  kind: SpanKind;
  name: string;
  status: SpanStatus;
  /** The attempt that it belongs to, counted from 1. */
  attempt: number;
  node?: string;
  /** The step of its graph. */
  step?: number;
  /** The checkpoint namespace of its task. */
  ns?: string;
  startedAt: number;
  firstTokenAt?: number;
  endedAt?: number;
  durationMs?: number;
  model?: string;
  usage?: Record<string, unknown>;
  cost?: number;
  input?: unknown;
  params?: unknown;
  output?: unknown;
  error?: { type?: string; message: string };
}

/** Which runs are wanted. Every member that is given narrows the search. */
export interface RunFilter {
  statuses?: readonly RunStatus[];
  agentIds?: readonly string[];
  agentVersion?: string;
  threadId?: ThreadId;
  sub?: string;
  errorCode?: string;
  createdAfter?: number;
  createdBefore?: number;
  minDurationMs?: number;
  maxDurationMs?: number;
  minTokens?: number;
  /** Only these. */
  runIds?: readonly RunId[];
  /** Only runs with this uuid, which may be on several threads. */
  runUuid?: RunUuid;
  /** Words, each of which is the beginning of one in the input, output, error or messages. */
  text?: string;
}

/** A page of a search: newest activity first. */
export interface RunSearchQuery extends RunFilter {
  limit: number;
  /** Where the page before ended. */
  cursor?: RunCursor;
}

export interface RunCursor {
  activityAt: number;
  id: number;
}

export interface FoundRun {
  run: RecordedRun;
  cursor: RunCursor;
}

/** A trace, or what is new of it. */
export interface RecordedTrace {
  run: RecordedRun;
  /** In the order of their beginnings. */
  spans: TraceSpan[];
  /** Up to where it was recorded. */
  seq: number;
}

/** How often each value occurs among the newest matches. */
export interface RunFacets {
  /** Only so many of the newest matches were counted. */
  isCapped: boolean;
  counted: number;
  status: Record<string, number>;
  agentId: Record<string, number>;
  errorCode: Record<string, number>;
}

/** Figures of the runs that were created in a time window. */
export interface RunFigures {
  runs: number;
  errors: number;
  /** Of runs that have ended. */
  p50Ms?: number;
  p95Ms?: number;
  tokens: TokenUsage;
  cost?: number;
}

export interface StatsQuery extends RunFilter {
  from: number;
  to: number;
  /** The window is cut into this many parts of one length. */
  parts: number;
}

export interface RunStats {
  total: RunFigures;
  overTime: (RunFigures & { from: number; to: number })[];
  byAgent: (RunFigures & { agentId: string })[];
}

/** The runs whose nodes are counted. */
export interface NodeStatsQuery extends RunFilter {
  from: number;
  to: number;
}

/** Figures of one node over several runs. */
export interface NodeFigures {
  /** Runs in which it was called. */
  runs: number;
  calls: number;
  errors: number;
  /** Of calls that completed. */
  p50Ms?: number;
  p95Ms?: number;
}

export interface NodeStats {
  /** Runs that were counted. */
  runs: number;
  /** There were more in the window, of which the newest were counted. */
  isCapped: boolean;
  /** `node` is the id of the graph: `section:draft` for a node of a sub-graph. */
  nodes: (NodeFigures & { node: string })[];
}

/** A line of the agent's output. */
export interface RecordedLine {
  id: number;
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  attempt: number;
}

/** A run as it was asked for. */
export interface RecordedInput {
  /** What the run starts from: an input, a command, or nothing where it goes on. */
  kind: 'input' | 'command' | 'proceed';
  value?: RecordedValue;
}

/** What the history knows of a thread. */
export interface RecordedThread {
  threadId: ThreadId;
  /** The beginning of its first input. */
  title?: string;
  /** Of its creation, or the latest change of one of its runs, of its state or of its metadata. */
  activityAt: number;
  /** Of its newest run. */
  agentId?: string;
}

/** Threads in the order of their activity, the latest first. */
export interface RecentThreadsQuery {
  limit: number;
  /** Only threads with a run that has these words, or with a title that does. */
  text?: string;
  cursor?: ThreadCursor;
}

/** The last thread of the page before. */
export interface ThreadCursor {
  activityAt: number;
  threadId: string;
}

/** Reads of the history. They reject with `history_unavailable`. */
export interface HistoryReads {
  search(query: RunSearchQuery): Promise<FoundRun[]>;
  facets(filter: RunFilter): Promise<RunFacets>;
  read(runId: RunId): Promise<RecordedRun | undefined>;
  input(runId: RunId): Promise<RecordedInput | undefined>;
  output(runId: RunId): Promise<RecordedValue | undefined>;
  /** What was recorded of a trace after `seq`, 0 for all of it; undefined: there is no record of the run. */
  trace(runId: RunId, seq?: number): Promise<RecordedTrace | undefined>;
  lines(runId: RunId): Promise<RecordedLine[]>;
  stats(query: StatsQuery): Promise<RunStats>;
  nodeStats(query: NodeStatsQuery): Promise<NodeStats>;
  threads(threadIds: readonly ThreadId[]): Promise<RecordedThread[]>;
  recentThreads(query: RecentThreadsQuery): Promise<RecordedThread[]>;
}

/** A reader waits for more of a run. */
export interface WrittenNotice {
  /** Resolves when more was written, after `limitMs`, or when the signal fires: never rejects. */
  wait(limitMs: number, signal: AbortSignal): Promise<void>;
  /** To be called when it is no longer wanted. */
  close(): void;
}

/** Of which runs more was written, for readers that follow them. */
export interface WrittenRunsPort {
  /** A notice of what is written from now on: taken before a read, nothing is missed between the two. */
  next(runId: RunId): WrittenNotice;
}
