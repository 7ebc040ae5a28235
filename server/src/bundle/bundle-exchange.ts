/** Composition of bundles over HTTP: export and import of threads in a running service. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { BundleRecord, CheckedRecord } from './bundle-record.ts';
import { madeByPrincipal } from './made-by.ts';
import { readBundleRecords } from './read-bundle.ts';
import { toPart, toRecord } from './thread-records.ts';
import { packBundle } from './write-bundle.ts';
import type { Disk } from '../engine/disk/disk-port.ts';
import type { Mover } from '../engine/move/thread-mover.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { ThreadId } from '../model/ids.ts';
import {
  BUNDLE_IMPORTS,
  BUNDLE_LINE_BYTES,
  BUNDLE_LINE_VALUES,
  BUNDLE_VALUES,
  unpackedLimit,
} from '../model/limits/bundle-limits.ts';
import { runRecords, writeRunBundle, type RunBundleParts } from './run-bundle.ts';
import { SHED_SENTENCES } from './overview-text.ts';
import type { BundlePort, ImportedCounts } from '../threads/bundle-service.ts';
import { version } from '../version.ts';

const NAME = 'The bundle';

/** Bundle operations of a running service. */
export interface Bundles extends BundlePort {
  /** Writes a run that has ended into a file; returns its bytes. */
  writeRun(runId: string, file: string): Promise<number>;
}

/**
 * Bundles of this service. An upload is kept in a temporary file and checked completely before anything is imported.
 */
export function createBundles(of: {
  room: { mover: Mover; disk: Pick<Disk, 'admit'> };
  streams: RunBundleParts['streams'];
  guests: { output: { read: RunBundleParts['output'] } };
  agentVersion: { current: RunBundleParts['agentVersion'] };
  /** Counts refused imports. */
  refusals: { inc(): void };
}): Bundles {
  const { mover, disk } = of.room;
  // Unpacking a bundle takes more memory than any other request.
  const unpacking = pLimit(1);
  let arriving = 0;
  const keepAndTake: Bundles['receive'] = async (chunks, work) => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-runtime-bundle-'));
    const file = join(folder, 'bundle.jsonl.gz');
    try {
      await pipeline(Readable.from(chunks), createWriteStream(file, { mode: 0o600 }));
      return await unpacking(async () =>
        work({
          threadId: await onlyThread(file),
          take: (options) => takeThread(mover, file, options),
        }),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const parts: RunBundleParts = {
    mover,
    streams: of.streams,
    output: (runId) => of.guests.output.read(runId),
    agentVersion: () => of.agentVersion.current(),
  };
  return {
    writeRun: (runId, file) => writeRunBundle(parts, runId, file),

    async *give(threadId, { runUuid, principal, signal }) {
      const records =
        runUuid === undefined
          ? threadRecords(mover, threadId, signal)
          : runRecords(parts, { threadId, runUuid });
      const contents = runUuid === undefined ? 'threads' : 'run';
      const madeBy = madeByPrincipal(principal);
      yield* packBundle({ contents, productVersion: version, madeBy, records });
    },

    async receive(chunks, work) {
      if (arriving >= BUNDLE_IMPORTS) {
        of.refusals.inc();
        const message = `${arriving} bundles are being imported: try again soon.`;
        throw new ServiceError('too_many_imports', message, { details: { limit: arriving } });
      }
      arriving += 1;
      try {
        return await disk.admit('import_thread', () => keepAndTake(chunks, work));
      } finally {
        arriving -= 1;
      }
    },
  };
}
async function* threadRecords(
  mover: Mover,
  threadId: ThreadId,
  signal: AbortSignal,
): AsyncGenerator<BundleRecord> {
  for await (const part of mover.export(threadId, signal)) yield toRecord(part);
}

/** The id of the single thread of a bundle, after every line has been checked. */
async function onlyThread(file: string): Promise<ThreadId> {
  let only: ThreadId | undefined;
  let count = 0;
  for await (const record of recordsOf(file)) {
    if (record.kind !== 'thread') continue;
    only = record.thread_id;
    count += 1;
  }
  if (count === 1 && only !== undefined) return only;
  const message = `${NAME} has ${count} threads, not one: import it with the command "service threads import".`;
  throw new ServiceError('bundle_invalid', message);
}

async function takeThread(
  mover: Mover,
  file: string,
  options: { as: ThreadId; owner: string },
): Promise<ImportedCounts> {
  const counts = { runs: 0, checkpoints: 0 };
  let thread: ReturnType<Mover['beginImport']> | undefined;
  try {
    for await (const record of recordsOf(file)) {
      const part = toPart(record);
      if (part?.kind === 'thread') thread = mover.beginImport(part.thread, options);
      else if (part) await thread?.add(part);
      if (part?.kind === 'run') counts.runs += 1;
      if (part?.kind === 'checkpoint') counts.checkpoints += 1;
    }
    if (!thread) throw new ServiceError('bundle_invalid', `${NAME} has no thread.`);
    const { shed, endedRuns } = await thread.finish();
    const leftOut = shed === 'nothing' ? {} : { leftOut: SHED_SENTENCES[shed] };
    return { ...counts, endedRuns, ...leftOut };
  } finally {
    thread?.abandon();
  }
}

async function* recordsOf(file: string): AsyncGenerator<CheckedRecord> {
  const { size } = await stat(file);
  yield* readBundleRecords(file, {
    name: NAME,
    maxUnpackedBytes: unpackedLimit(size),
    maxLineBytes: BUNDLE_LINE_BYTES,
    maxLineValues: BUNDLE_LINE_VALUES,
    maxValues: BUNDLE_VALUES,
  });
}
