/** A thread's reports about itself. Responses that carry checkpoints stay below the engine's ceiling. */
import { runFacts } from '../run/run.ts';
import { findBlob, findCheckpoint, listCheckpoints } from '../checkpoint/checkpoint-store.ts';
import { FRAME_ENVELOPE_BYTES, PAYLOAD_CEILING_BYTES } from '../limits/limits.ts';
import { emptyTyped, engineBytes } from '../checkpoint/payload.ts';
import { askingWrites } from '../checkpoint/open-questions.ts';
import { openInterrupts } from './thread-question.ts';
import type { StoredRun } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';
import { newestRun, threadStatus } from './thread-state.ts';
import type {
  BlobAddress,
  CheckpointPage,
  CheckpointSelection,
  RunReport,
  ThreadReport,
} from './thread-wire.ts';
import {
  blobBytes,
  checkpointBytes,
  type StoredBlob,
  type StoredCheckpoint,
  type StoredWrite,
  writeBytes,
} from '../checkpoint/stored.ts';

/** The thread without its state. */
export function reportThread(state: ThreadState): ThreadReport {
  const interrupts = openInterrupts(state);
  const newest = newestRun(state);
  const agentId = newest?.agentId ?? state.agentId;
  const head = findCheckpoint(state.store, '');
  return {
    threadId: state.threadId,
    status: threadStatus(state),
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    metadata: state.metadata,
    isEphemeral: state.isEphemeral,
    revision: state.revision,
    settings: state.settings,
    ...(interrupts && { interrupts }),
    ...(agentId !== undefined && { agentId }),
    ...(head && { headId: head.id }),
    ...(state.stopped && { stopped: state.stopped }),
    ...(state.owner !== undefined && { owner: state.owner }),
    ...(state.origin && { origin: state.origin }),
    ...(state.jsonKeys && { jsonKeys: state.jsonKeys }),
    ...(head && { headAt: head.ts }),
    ...(newest?.error && !state.left && { error: newest.error }),
    ...(state.queue.length > 0 && { isQueued: true }),
    ...configurableOf(newest),
  };
}

function configurableOf(run: StoredRun | undefined): Pick<ThreadReport, 'configurable'> {
  const config = run?.kwargs?.['config'] as Pick<ThreadReport, 'configurable'> | undefined; // checked when it came
  return config?.configurable === undefined ? {} : { configurable: config.configurable };
}

/** One run. Lists omit the output, which would otherwise bound their length. */
export function reportRun(state: ThreadState, run: StoredRun): RunReport {
  const position = state.queue.indexOf(run.runUuid);
  const isHeldBack = run.notBefore !== undefined;
  const runsAhead =
    position < 0 ? 0 : position + (state.active === undefined && !isHeldBack ? 0 : 1);
  return {
    ...runFacts(run),
    status: run.status,
    updatedAt: run.updatedAt,
    attempt: Math.max(1, run.attempt),
    maxAttempts: run.restart.maxAttempts,
    ...(run.lastFailure && { lastFailure: run.lastFailure }),
    ...(runsAhead > 0 && { queuePosition: runsAhead }),
    ...(run.kwargs && { kwargs: run.kwargs }),
    ...(run.multitask && { multitask: run.multitask }),
    ...(run.error && { error: run.error }),
    ...(run.output && { output: run.output }),
  };
}

/** One run with its context, where that fits together with the output. */
export function reportWholeRun(state: ThreadState, run: StoredRun): RunReport {
  const report = reportRun(state, run);
  const { context, output } = run;
  if (!context) return report;
  const bytes = engineBytes(context) + (output ? engineBytes(output) : 0);
  return bytes > ceilingOf(state) - FRAME_ENVELOPE_BYTES ? report : { ...report, context };
}

/** A page of runs, newest first, as many of them as fit; the caller queries again from `offset` + their number. */
export function reportRuns(
  state: ThreadState,
  { limit, offset }: { limit: number; offset: number },
  ceiling = ceilingOf(state),
): { runs: RunReport[]; total: number } {
  const newestFirst = [...state.runs.values()].reverse();
  const runs: RunReport[] = [];
  let bytes = 0;
  for (const run of newestFirst.slice(offset, offset + limit)) {
    const report = reportRun(state, run);
    bytes +=
      1_000 +
      (report.output ? engineBytes(report.output) : 0) +
      JSON.stringify(report.metadata).length;
    if (runs.length > 0 && bytes > ceiling) break;
    runs.push(report);
  }
  return { runs, total: state.runs.size };
}

/** Checkpoints with as many of their blobs as fit. */
export function readCheckpoints(
  state: ThreadState,
  selection: CheckpointSelection,
  ceiling = ceilingOf(state),
): CheckpointPage {
  const page: CheckpointPage = { checkpoints: [], blobs: [], omitted: [] };
  const sent = new Set<string>();
  let bytes = 0;
  const selected = select(state, selection);
  for (const entry of selected) {
    const checkpoint = selection.content === 'json' ? forResponse(state, entry) : entry;
    bytes += checkpointBytes(checkpoint);
    for (const write of checkpoint.writes) bytes += writeBytes(write);
    if (page.checkpoints.length > 0 && bytes > ceiling) {
      page.nextBeforeId = page.checkpoints.at(-1)?.id ?? entry.id;
      return page;
    }
    page.checkpoints.push(checkpoint);
    for (const address of blobAddresses(entry)) {
      const key = `${address.ns}\n${address.channel}\n${address.version}`;
      if (sent.has(key)) continue;
      const blob = readBlob(state, address, selection.content);
      if (!blob) continue;
      sent.add(key);
      if (bytes + blobBytes(blob) > ceiling) {
        page.omitted.push(address);
        continue;
      }
      bytes += blobBytes(blob);
      page.blobs.push({ ...address, ...blob });
    }
  }
  return page;
}

/** The blobs at some addresses, from the first on, as many as fit; at least one. */
export function readBlobs(
  state: ThreadState,
  addresses: readonly BlobAddress[],
  content: CheckpointSelection['content'],
  ceiling = ceilingOf(state),
): (BlobAddress & StoredBlob)[] {
  const blobs: (BlobAddress & StoredBlob)[] = [];
  let bytes = 0;
  for (const address of addresses) {
    const blob = readBlob(state, address, content);
    if (!blob) continue;
    bytes += blobBytes(blob);
    if (blobs.length > 0 && bytes > ceiling) break;
    blobs.push({ ...address, ...blob });
  }
  return blobs;
}

/** The addresses of a checkpoint's blobs. */
export function blobAddresses(checkpoint: StoredCheckpoint): BlobAddress[] {
  return Object.entries(checkpoint.versions).map(([channel, version]) => {
    return { ns: checkpoint.ns, channel, version };
  });
}

function select(state: ThreadState, selection: CheckpointSelection): StoredCheckpoint[] {
  const { ns, id, beforeId, filter, run } = selection;
  if (id !== undefined && ns !== undefined) {
    const found = findCheckpoint(state.store, ns, id);
    return found ? [found] : [];
  }
  const decoder = new TextDecoder();
  const matches = (entry: StoredCheckpoint): boolean => {
    if (id !== undefined && entry.id !== id) return false;
    if (run !== undefined && !isTouchedBy(entry, run)) return false;
    if (!filter || Object.keys(filter).length === 0) return true;
    const parsed: unknown = JSON.parse(decoder.decode(entry.metadataJson));
    const metadata = parsed as Record<string, unknown>; // a guest's metadata is an object
    return Object.entries(filter).every(([key, text]) => JSON.stringify(metadata[key]) === text);
  };
  const { limit = Number.POSITIVE_INFINITY } = selection;
  const selected: StoredCheckpoint[] = [];
  for (const entry of listCheckpoints(state.store, ns, beforeId)) {
    if (selected.length >= limit) break;
    if (matches(entry)) selected.push(entry);
  }
  return selected;
}

function isTouchedBy(entry: StoredCheckpoint, run: string): boolean {
  return entry.run === run || entry.writes.some((write) => write.run === run);
}

/**
 * Projections only: what an HTTP response needs. The parent is named only while it is retained; of pending writes there
 * are the questions at the head.
 */
function forResponse(state: ThreadState, entry: StoredCheckpoint): StoredCheckpoint {
  const { parentId, ...kept } = entry;
  const isParentRetained =
    parentId !== undefined && findCheckpoint(state.store, entry.ns, parentId);
  const isHead = entry === findCheckpoint(state.store, '');
  return {
    ...kept,
    ...(isParentRetained && { parentId }),
    skeleton: emptyTyped(),
    metadata: emptyTyped(),
    writes: isHead ? askingWrites(entry.writes).map(withoutBytes) : [],
  };
}

function withoutBytes(write: StoredWrite): StoredWrite {
  return { ...write, value: emptyTyped(write.value.tag) };
}

function readBlob(
  state: ThreadState,
  { ns, channel, version }: BlobAddress,
  content: CheckpointSelection['content'],
): StoredBlob | undefined {
  const blob = findBlob(state.store, ns, channel, version);
  if (!blob || content === 'bytes') return blob;
  return blob.json && { value: emptyTyped(blob.value.tag), json: blob.json };
}

/** The estimated size limit of a response: one payload of the engine that the thread was created on. */
export function ceilingOf({ settings }: ThreadState): number {
  return settings.payloadBytes ?? PAYLOAD_CEILING_BYTES;
}
