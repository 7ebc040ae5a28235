/** Composition of `service threads export | import`: engine and worker without guests, runs or HTTP. */
import type { BundleRecord } from '../bundle/bundle-record.ts';
import { type AskedImport, planImport, requireThreadId } from '../bundle/import-plan.ts';
import { madeByUser } from '../bundle/made-by.ts';
import { originSentence, overviewLines, SHED_SENTENCES } from '../bundle/overview-text.ts';
import { readBundleRecords } from '../bundle/read-bundle.ts';
import { toPart, toRecord } from '../bundle/thread-records.ts';
import { writeBundleFile } from '../bundle/write-bundle.ts';
import { acquireInstanceLock, type InstanceLock } from '../config/instance-lock.ts';
import { isApiGuarded } from '../config/open-api.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { ThreadMover } from '../engine/move/thread-mover.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import type { Logger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { openEngineSide, type EngineSide } from './engine-side.ts';
import { takeDown, type Running } from './shutdown.ts';
import { version } from '../version.ts';

/** Dependencies of both directions besides the configuration. */
export interface ArchiveDeps {
  logger: Logger;
  onProgress(step: string): void;
  /** Called after every thread, and sometimes in between. */
  onMoved(moved: Moved): void;
  onWarning(sentence: string): void;
  signal: AbortSignal;
}

/** The progress so far. */
export interface Moved {
  threads: number;
  /** Absent while unknown. */
  total?: number;
  /** Compressed bytes of the file; while importing, bytes of its lines. */
  bytes: number;
}

export interface ExportOptions {
  file: string;
  /** Empty: every thread but those of stateless runs. */
  threadIds: readonly string[];
}

export interface ImportOptions extends AskedImport {
  /** Threads whose id exists are skipped without an error. */
  isSkippingExisting: boolean;
}

/** The result of an import. */
export interface ImportReport {
  /** Who made the file and when, as the file claims. */
  origin: string;
  imported: number;
  /** Threads that were skipped because their ids exist. */
  existing: string[];
  resumedRuns: number;
  /** Unfinished runs that were cancelled. */
  endedRuns: number;
}

/** Writes threads of an agent folder into one file, completely or not at all. */
export async function exportThreads(
  config: ServiceConfig,
  options: ExportOptions,
  deps: ArchiveDeps,
): Promise<Moved> {
  const chosen = options.threadIds.map(requireThreadId);
  return withMover(config, deps, async (mover) => {
    const moved: Moved = { threads: 0, bytes: 0 };
    const records = exportRecords(mover, chosen, deps, moved);
    const madeBy = madeByUser();
    const bundle = { contents: 'threads', productVersion: version, madeBy, records } as const;
    const onBytes = (bytes: number): void => void (moved.bytes = bytes);
    moved.bytes = await writeBundleFile(options.file, bundle, { signal: deps.signal, onBytes });
    return moved;
  });
}

/** Checks a file like an import, and returns lines about its content and the effects of its import. */
export async function describeBundle(
  asked: AskedImport,
  deps: Pick<ArchiveDeps, 'onWarning' | 'onProgress' | 'signal'>,
): Promise<string[]> {
  const { overview, as, resumeAs } = await planImport(asked, deps);
  const plan = {
    ...(as !== undefined && { as }),
    ...(resumeAs && { resumeAs: String(resumeAs['sub']) }),
  };
  return [...overviewLines(overview, plan)];
}

/** Imports the threads of a file into an agent folder, each of them completely or not at all. */
export async function importThreads(
  config: ServiceConfig,
  options: ImportOptions,
  deps: ArchiveDeps,
): Promise<ImportReport> {
  // The whole file is checked first: a damaged one changes nothing.
  const { overview, threadId, as, resumeAs } = await planImport(options, deps);
  const total = overview.threads.length;
  const origin = originSentence(overview.header);
  return withMover(config, deps, async (mover) => {
    const report: ImportReport = {
      origin,
      imported: 0,
      existing: [],
      resumedRuns: 0,
      endedRuns: 0,
    };
    const moved: Moved = { threads: 0, total, bytes: 0 };
    const finish = async (current: Importing): Promise<void> => {
      if (!(await takeIn(current, report, deps))) return;
      moved.threads += 1;
      deps.onMoved(moved);
    };
    let current: Importing | undefined;
    try {
      for await (const record of readBundleRecords(options.file, { signal: deps.signal })) {
        const part = toPart(record);
        if (!part) continue;
        if (part.kind !== 'thread') {
          await current?.thread?.add(part);
          continue;
        }
        if (current) await finish(current);
        const isChosen = threadId === undefined || part.thread.threadId === threadId;
        const id = as ?? part.thread.threadId;
        current = { id };
        if (!isChosen) continue;
        const thread = mover.beginImport(part.thread, {
          ...(as !== undefined && { as }),
          ...(resumeAs && { resumeAs }),
        });
        if (await thread.exists()) report.existing.push(id);
        else current.thread = thread;
      }
      if (current) await finish(current);
    } finally {
      current?.thread?.abandon();
    }
    if (options.isSkippingExisting) report.existing = [];
    return report;
  });
}

interface Importing {
  id: string;
  /** Absent: it is not imported. */
  thread?: ReturnType<ThreadMover['beginImport']>;
}

async function takeIn(
  { id, thread }: Importing,
  report: ImportReport,
  { onWarning, signal }: ArchiveDeps,
): Promise<boolean> {
  if (!thread) return false;
  signal.throwIfAborted();
  const { shed, resumedRuns, endedRuns } = await thread.finish();
  report.imported += 1;
  report.resumedRuns += resumedRuns;
  report.endedRuns += endedRuns;
  if (shed !== 'nothing') {
    onWarning(`The thread ${id} did not fit as it was; left out: ${SHED_SENTENCES[shed]}.`);
  }
  return true;
}

async function* exportRecords(
  mover: ThreadMover,
  chosen: readonly ThreadId[],
  deps: ArchiveDeps,
  moved: Moved,
): AsyncGenerator<BundleRecord> {
  if (chosen.length > 0) moved.total = chosen.length;
  for await (const threadId of chosen.length > 0 ? chosen : everyThread(mover, moved)) {
    try {
      for await (const part of mover.export(threadId, deps.signal)) yield toRecord(part);
    } catch (error) {
      const isGone = isServiceError(error) && error.code === 'thread_not_found';
      // The thread was deleted after it was listed.
      if (!isGone || chosen.length > 0) throw error;
      continue;
    }
    moved.threads += 1;
    deps.onMoved(moved);
  }
}

/** Lists all threads before the first one is read: listing is quick, and the total is then known. */
async function* everyThread(mover: ThreadMover, moved: Moved): AsyncGenerator<ThreadId> {
  const listed = new Set<ThreadId>();
  for await (const threadId of mover.list()) listed.add(threadId);
  moved.total = listed.size;
  yield* listed;
  // New threads appear in the engine's list after a short delay.
  for await (const threadId of mover.list()) {
    if (listed.has(threadId)) continue;
    moved.total += 1;
    yield threadId;
  }
}

async function withMover<T>(
  config: ServiceConfig,
  deps: ArchiveDeps,
  work: (mover: ThreadMover) => Promise<T>,
): Promise<T> {
  const { logger, onProgress, onWarning, signal } = deps;
  const open: Partial<EngineSide> & Partial<Pick<Running, 'lock' | 'metrics'>> = {};
  try {
    const lock = lockFolder(config.dataDir);
    open.lock = lock;
    const metrics = createMetrics({ version });
    open.metrics = metrics;
    const isGuarded = isApiGuarded(config);
    const onRunSettled = (): void => undefined;
    const options = {
      lock,
      isGuarded,
      metrics,
      logger,
      signal,
      onProgress,
      onWarning,
      onRunSettled,
    };
    const { room } = await openEngineSide(config, options, open);
    await room.startServing();
    return await work(room.mover);
  } finally {
    await takeDown(open);
  }
}

function lockFolder(dataDir: string): InstanceLock {
  try {
    return acquireInstanceLock(dataDir);
  } catch (error) {
    if (!isServiceError(error) || error.details['pid'] === undefined) throw error;
    const message = `${error.message} Stop it first (Ctrl+C), then threads can be moved.`;
    throw new ServiceError('config_invalid', message, { details: error.details, cause: error });
  }
}
