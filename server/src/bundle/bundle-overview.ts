import { isSettled } from '../model/run/run.ts';
import type { BundleHeader, CheckedRecord } from './bundle-record.ts';
import type { BundleItem } from './decode-line.ts';

/** The content of a bundle, as shown to users before they import it. */
export interface BundleOverview {
  header: BundleHeader;
  threads: ThreadOverview[];
}

/** One thread of a bundle. Times are milliseconds since 1970. */
export interface ThreadOverview {
  threadId: string;
  createdAt: number;
  updatedAt: number;
  /** The `sub` of its owner in the file. */
  owner?: string;
  /** Agents of its runs, in the order in which they first ran. */
  agents: string[];
  /** Number of runs by status. */
  runs: Map<string, number>;
  /** Number of unfinished runs. */
  openRuns: number;
  checkpoints: number;
}

/** Reads a bundle to its end; with `threadId` the overview has only that thread. */
export async function readOverview(
  items: AsyncIterable<BundleItem>,
  threadId?: string,
): Promise<BundleOverview> {
  let header: BundleHeader | undefined;
  const threads: ThreadOverview[] = [];
  let current: ThreadOverview | undefined;
  for await (const item of items) {
    if (item.kind === 'header') {
      ({ header } = item);
      continue;
    }
    const { record } = item;
    if (record.kind === 'thread') {
      const isAsked = threadId === undefined || record.thread_id === threadId;
      current = isAsked ? begin(record) : undefined;
      if (current) threads.push(current);
    } else if (current) add(current, record);
  }
  if (!header) throw new Error('a bundle that was read to its end has a header');
  return { header, threads };
}

function begin(record: Extract<CheckedRecord, { kind: 'thread' }>): ThreadOverview {
  const { owner } = record.more ?? {};
  return {
    threadId: record.thread_id,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    ...(owner !== undefined && { owner }),
    agents: [],
    runs: new Map(),
    openRuns: 0,
    checkpoints: 0,
  };
}

function add(thread: ThreadOverview, record: CheckedRecord): void {
  if (record.kind === 'checkpoint') thread.checkpoints += 1;
  if (record.kind !== 'run') return;
  const { agent_id: agentId, status } = record;
  if (!thread.agents.includes(agentId)) thread.agents.push(agentId);
  thread.runs.set(status, (thread.runs.get(status) ?? 0) + 1);
  if (!isSettled(status)) thread.openRuns += 1;
}
