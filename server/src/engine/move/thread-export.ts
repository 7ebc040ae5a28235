/*
 * Moving. The query `extract` returns a whole thread in pages below the engine's ceiling, each with a mark that changes
 * with the thread: pages of two states are never combined (`engine/move/thread-export.ts`). An import builds the
 * snapshot that a continued thread would have carried along and starts the workflow with it
 * (`engine/move/thread-import.ts`), so it is one call of the engine: the result is a whole thread or none. Both run
 * with a worker that has no activities, so that nothing runs meanwhile. `bundle` alone handles the file between them:
 * one schema (`bundle-record.ts`) parses every id into its type and bounds every member, `line-order.ts` checks lines
 * against each other, `check-texts.ts` checks the contents of texts, all of it before the first part is accepted, and
 * in slices. That reading also makes the overview that is shown to the user (`bundle-overview.ts`, `overview-text.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import { SEARCH_PAGE_ROWS } from '../../model/limits/search-limits.ts';
import type { ExtractCursor, ThreadExtract } from '../../model/thread/thread-extract.ts';
import type { Payload } from '../../model/checkpoint/payload.ts';
import type { MovedRun, MovedThread, ThreadPart } from '../../model/thread/thread-part.ts';
import type { StoredCheckpoint } from '../../model/checkpoint/stored.ts';
import type { StoredRun } from '../../model/run/run-record.ts';
import type { BlobAddress } from '../../model/thread/thread-wire.ts';
import type { EngineConnection } from '../client/connection.ts';
import { toServiceError } from '../client/failures.ts';
import { openBlob, openCheckpoint } from '../read/open-checkpoint.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import { type ThreadClient, threadIdOf } from '../client/thread-client.ts';
import { openThreads } from '../read/thread-query.ts';

/** A thread that changes between pages is read again, after a longer pause each time. */
const TRIES = 20;
const PAUSE_MS = 50;

/** The open threads of one task queue, except those of stateless runs. */
export async function* listThreads(
  { client }: EngineConnection,
  taskQueue: string,
): AsyncGenerator<ThreadId> {
  const query = openThreads(taskQueue);
  try {
    for await (const { workflowId } of client.workflow.list({
      query,
      pageSize: SEARCH_PAGE_ROWS,
    })) {
      const threadId = threadIdOf(workflowId);
      if (threadId !== undefined) yield threadId;
    }
  } catch (error) {
    throw toServiceError(error, '');
  }
}

/**
 * The parts of a thread, all of the same state of it. Payloads within the thread are held until they are yielded;
 * external ones are fetched when their turn comes.
 */
export async function* exportThread(
  threads: ThreadClient,
  payloads: PayloadPort,
  threadId: ThreadId,
  signal?: AbortSignal,
): AsyncGenerator<ThreadPart> {
  const pages = await readPages(threads, threadId, signal);
  const [first] = pages;
  if (!first) return;
  const { questions, context, ...thread } = without(first.thread);
  const open = async (payload: Payload): Promise<Uint8Array> => payloads.open(threadId, payload);
  const opened = {
    ...(questions && { questions: await open(questions) }),
    ...(context && { context: await open(context) }),
  };
  yield { kind: 'thread', thread: { ...thread, ...opened } };
  for (const { runs } of pages) {
    for (const run of runs) yield { kind: 'run', run: await openRun(payloads, threadId, run) };
  }
  for (const { checkpoints } of pages) {
    for (const stored of checkpoints) {
      yield { kind: 'checkpoint', checkpoint: await openCheckpoint(payloads, threadId, stored) };
    }
  }
  const holders = holdersOf(pages);
  for (const { blobs } of pages) {
    for (const stored of blobs) {
      const { ns } = stored;
      const holder = holders.get(blobKey(stored)) ?? { ns, id: '(none)' };
      yield { kind: 'blob', blob: await openBlob(payloads, threadId, stored, holder) };
    }
  }
}

/** A checkpoint for every blob, so that an error about an unreadable blob names both. */
function holdersOf(pages: readonly ThreadExtract[]): Map<string, StoredCheckpoint> {
  const holders = new Map<string, StoredCheckpoint>();
  for (const checkpoint of pages.flatMap(({ checkpoints }) => checkpoints)) {
    for (const [channel, version] of Object.entries(checkpoint.versions)) {
      holders.set(blobKey({ ns: checkpoint.ns, channel, version }), checkpoint);
    }
  }
  return holders;
}

function blobKey({ ns, channel, version }: BlobAddress): string {
  return `${ns}\n${channel}\n${version}`;
}

/** Removes what belongs to the service, or to the engine, that the thread lives in. */
function without(
  thread: ThreadExtract['thread'],
): Omit<MovedThread, 'questions' | 'context'> &
  Pick<ThreadExtract['thread'], 'questions' | 'context'> {
  const { settings: _, publishedStatus: __, publishedRun: ___, newest: ____, ...moved } = thread;
  return moved;
}

async function readPages(
  threads: ThreadClient,
  threadId: ThreadId,
  signal: AbortSignal | undefined,
): Promise<ThreadExtract[]> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(PAUSE_MS * attempt, undefined, { ...(signal && { signal }) });
    const pages = await readOnce(threads, threadId, signal);
    if (pages) return pages;
  }
  throw new ServiceError(
    'thread_busy',
    `The thread ${threadId} changes faster than it can be read; try again when its run has ended.`,
  );
}

/** The pages of one state; undefined when the thread changed between two of them. */
async function readOnce(
  threads: ThreadClient,
  threadId: ThreadId,
  signal: AbortSignal | undefined,
): Promise<ThreadExtract[] | undefined> {
  const pages: ThreadExtract[] = [];
  let from: ExtractCursor | undefined = { runs: 0, checkpoints: 0, blobs: 0 };
  while (from) {
    signal?.throwIfAborted();
    const page: ThreadExtract = await threads.query(threadId, 'extract', from);
    if (page.mark !== (pages[0] ?? page).mark) return undefined;
    pages.push(page);
    from = page.next;
  }
  return pages;
}

async function openRun(
  payloads: PayloadPort,
  threadId: ThreadId,
  { request, output, interrupts, context, ...run }: StoredRun,
): Promise<MovedRun> {
  return {
    ...run,
    ...(request && { request: await payloads.open(threadId, request) }),
    ...(output && { output: await payloads.open(threadId, output) }),
    ...(interrupts && { interrupts: await payloads.open(threadId, interrupts) }),
    ...(context && { context: await payloads.open(threadId, context) }),
  };
}
