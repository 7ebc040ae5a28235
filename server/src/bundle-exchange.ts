/** Composition of bundles over HTTP: threads leave and enter a service that is running. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { BundleRecord } from './bundle/bundle-record.ts';
import { decodeBundle } from './bundle/read-bundle.ts';
import { toPart, toRecord } from './bundle/thread-records.ts';
import { packBundle } from './bundle/write-bundle.ts';
import type { ThreadMover } from './engine/thread-mover.ts';
import { ServiceError } from './errors/service-error.ts';
import { parseThreadId, type ThreadId } from './model/ids.ts';
import { BUNDLE_BODY_BYTES, BUNDLE_UNPACKED_BYTES } from './model/limits.ts';
import { runRecords, writeRunBundle, type RunBundleParts } from './run-bundle.ts';
import { SHED_SENTENCES } from './shed-sentences.ts';
import type { BundlePort, ImportedCounts } from './threads/bundle-service.ts';
import { version } from './version.ts';

const NAME = 'The bundle';

/** What a running service does with bundles. */
export interface Bundles extends BundlePort {
  /** Writes a run that has ended into a file; answers its bytes. */
  writeRun(runId: string, file: string): Promise<number>;
}

/** Bundles of this service. What arrives is kept in a temporary file and looked at wholly before anything is taken. */
export function createBundles(of: {
  room: { mover: ThreadMover };
  streams: RunBundleParts['streams'];
  guests: { output: { read: RunBundleParts['output'] } };
  agentVersion: { current: RunBundleParts['agentVersion'] };
}): Bundles {
  const { mover } = of.room;
  const parts: RunBundleParts = {
    mover,
    streams: of.streams,
    output: (runUuid) => of.guests.output.read(runUuid),
    agentVersion: () => of.agentVersion.current(),
  };
  return {
    writeRun: (runId, file) => writeRunBundle(parts, runId, file),

    async *give(threadId, { runUuid, signal }) {
      const records =
        runUuid === undefined
          ? threadRecords(mover, threadId, signal)
          : runRecords(parts, { threadId, runUuid });
      const contents = runUuid === undefined ? 'threads' : 'run';
      yield* packBundle({ contents, productVersion: version, records });
    },

    async receive(chunks, work) {
      const folder = await mkdtemp(join(tmpdir(), 'agent-runtime-bundle-'));
      const file = join(folder, 'bundle.jsonl.gz');
      try {
        const body = Readable.from(limited(chunks, BUNDLE_BODY_BYTES, 'body'));
        await pipeline(body, createWriteStream(file, { mode: 0o600 }));
        const threadId = await onlyThread(file);
        return await work({
          threadId,
          take: (options) => takeThread(mover, file, options),
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function* threadRecords(
  mover: ThreadMover,
  threadId: ThreadId,
  signal: AbortSignal,
): AsyncGenerator<BundleRecord> {
  for await (const part of mover.export(threadId, signal)) yield toRecord(part);
}

/** The id of the one thread of a bundle that is whole. */
async function onlyThread(file: string): Promise<ThreadId> {
  const ids: string[] = [];
  for await (const record of recordsOf(file)) {
    if (record.kind === 'thread') ids.push(record.thread_id);
  }
  const [id = ''] = ids;
  const threadId = parseThreadId(id);
  if (ids.length === 1 && threadId !== undefined) return threadId;
  const message =
    ids.length === 1
      ? `${JSON.stringify(id)} is no id of a thread.`
      : `${NAME} has ${ids.length} threads, not one: import it with the command "service threads import".`;
  throw new ServiceError('bundle_invalid', message);
}

async function takeThread(
  mover: ThreadMover,
  file: string,
  options: { as: ThreadId; owner: string },
): Promise<ImportedCounts> {
  const counts = { runs: 0, checkpoints: 0 };
  let thread: ReturnType<ThreadMover['beginImport']> | undefined;
  try {
    for await (const record of recordsOf(file)) {
      const part = toPart(record);
      if (part?.kind === 'thread') thread = mover.beginImport(part.thread, options);
      else if (part) await thread?.add(part);
      if (part?.kind === 'run') counts.runs += 1;
      if (part?.kind === 'checkpoint') counts.checkpoints += 1;
    }
    if (!thread) throw new ServiceError('bundle_invalid', `${NAME} has no thread.`);
    const { shed, resumedRuns } = await thread.finish();
    const leftOut = shed === 'nothing' ? {} : { leftOut: SHED_SENTENCES[shed] };
    return { ...counts, resumedRuns, ...leftOut };
  } finally {
    thread?.abandon();
  }
}

async function* recordsOf(file: string): AsyncGenerator<BundleRecord> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    const chunks = limited(source.pipe(gunzip), BUNDLE_UNPACKED_BYTES, 'unpacked');
    for await (const item of decodeBundle(chunks, NAME)) {
      if (item.kind === 'record') yield item.record;
    }
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  what: 'body' | 'unpacked',
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) {
      const name = what === 'body' ? NAME : `${NAME}, unpacked,`;
      const message = `${name} is larger than ${limit} bytes: import it with the command "service threads import".`;
      throw new ServiceError('payload_too_large', message, { details: { limit } });
    }
    yield chunk;
  }
}
