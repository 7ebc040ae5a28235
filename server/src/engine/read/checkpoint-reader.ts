/*
 * Reads are queries. A response carries what fits below the engine's 2 MiB and lists the rest; `checkpoint-reader.ts`
 * queries until it is complete. A query without a response after 2 s may be lost or only slow: it is repeated
 * alongside, after 2 and 6 s (`hedge` in `calls.ts`), and the first response counts, for up to 14 s. A foreign cluster
 * may buffer only one query of a thread: there the next one begins when the previous one is given up.
 */
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import {
  blobBytes,
  type ChannelBlob,
  type StoredCheckpoint,
} from '../../model/checkpoint/stored.ts';
import type {
  BlobAddress,
  CheckpointPage,
  CheckpointSelection,
} from '../../model/thread/thread-wire.ts';
import { openBlob, openCheckpoint } from './open-checkpoint.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';

/** A checkpoint with all its blobs. */
export interface ReadCheckpoint<P = Uint8Array> {
  checkpoint: StoredCheckpoint<P>;
  blobs: ChannelBlob<P>[];
  /** `checkpoint_damaged`: some blob is missing from `blobs`. Only reads with `skipDamaged` continue without it. */
  damage?: ServiceError;
}

/** A checkpoint as its thread keeps it. */
export type KeptCheckpoint = ReadCheckpoint<StoredCheckpoint['skeleton']['bytes']>;

/** A page of the engine's size: a larger one would only produce responses that do not fit. */
const PAGE_ENTRIES = 200;

/** Blobs per query: those of the checkpoint that is due, and of the next ones while they fit into the response. */
const ASKED_BLOBS = 200;

/** What is kept for later checkpoints of a page, besides the blobs of the one that is due. */
const KEPT_BYTES = 8 * 1_024 * 1_024;

/** A head that is replaced while it is being read is read again, at most this many times. */
export const HEAD_ATTEMPTS = 5;

/** How a thread is queried; the part of ThreadClient that reads need. */
export type ThreadQueries = Pick<ThreadClient, 'query'>;

/**
 * Reads checkpoints newest first, in as many queries as it takes, and yields each as soon as it is complete. A slow
 * reader holds two checkpoints and some 10 MiB of blobs, however many checkpoints there are. A checkpoint that is
 * pruned meanwhile is left out.
 */
export async function* readCheckpoints(
  threads: ThreadQueries,
  payloads: PayloadPort,
  threadId: ThreadId,
  selection: CheckpointSelection,
  { skipDamaged = false }: { skipDamaged?: boolean } = {},
): AsyncGenerator<ReadCheckpoint> {
  const opened = new OpenedBlobs(payloads, threadId, skipDamaged);
  for await (const kept of readKeptCheckpoints(threads, threadId, selection)) {
    const read = await openWhole(payloads, threadId, kept, opened);
    if (read) yield read;
  }
}

/** The same, as the thread keeps them. */
export async function* readKeptCheckpoints(
  threads: ThreadQueries,
  threadId: ThreadId,
  selection: CheckpointSelection,
): AsyncGenerator<KeptCheckpoint> {
  let left = selection.limit ?? Number.POSITIVE_INFINITY;
  let beforeId = selection.beforeId;
  while (left > 0) {
    const page: CheckpointPage = await threads.query(threadId, 'checkpoints', {
      ...selection,
      limit: Math.min(left, PAGE_ENTRIES),
      ...(beforeId !== undefined && { beforeId }),
    });
    const blobs = new PageBlobs(threads, threadId, page, selection.content);
    for (const [index, checkpoint] of page.checkpoints.entries()) {
      const kept = await blobs.of(index);
      if (kept) yield { checkpoint, blobs: kept };
    }
    left -= page.checkpoints.length;
    const isLast = page.nextBeforeId === undefined && page.checkpoints.length < PAGE_ENTRIES;
    if (isLast || page.checkpoints.length === 0) return;
    beforeId = page.nextBeforeId ?? page.checkpoints.at(-1)?.id;
  }
}

/**
 * One checkpoint as its thread keeps it: the newest that matches the selection, whole; undefined when there is none.
 */
export async function readKeptCheckpoint(
  threads: ThreadQueries,
  threadId: ThreadId,
  selection: Omit<CheckpointSelection, 'limit'>,
): Promise<KeptCheckpoint | undefined> {
  for (let attempt = 0; attempt < HEAD_ATTEMPTS; attempt++) {
    const page: CheckpointPage = await threads.query(threadId, 'checkpoints', {
      ...selection,
      limit: 1,
    });
    const [checkpoint] = page.checkpoints;
    if (!checkpoint) return undefined;
    const blobs = await new PageBlobs(threads, threadId, page, selection.content).of(0);
    if (blobs) return { checkpoint, blobs };
  }
  throw tooQuick();
}

/** The same, with all payloads loaded. */
export async function readCheckpoint(
  threads: ThreadQueries,
  payloads: PayloadPort,
  threadId: ThreadId,
  selection: Omit<CheckpointSelection, 'limit'>,
): Promise<ReadCheckpoint | undefined> {
  for (let attempt = 0; attempt < HEAD_ATTEMPTS; attempt++) {
    const kept = await readKeptCheckpoint(threads, threadId, selection);
    if (!kept) return undefined;
    const opened = new OpenedBlobs(payloads, threadId, false);
    const read = await openWhole(payloads, threadId, kept, opened);
    if (read) return read;
  }
  throw tooQuick();
}

/** Loads all payloads; undefined when one was dropped from the external storage meanwhile. */
async function openWhole(
  payloads: PayloadPort,
  threadId: ThreadId,
  { checkpoint, blobs }: KeptCheckpoint,
  opened: OpenedBlobs,
): Promise<ReadCheckpoint | undefined> {
  try {
    return {
      checkpoint: await openCheckpoint(payloads, threadId, checkpoint),
      ...(await opened.open(blobs, checkpoint)),
    };
  } catch (error) {
    if (isServiceError(error) && error.code === 'checkpoint_not_found') return undefined;
    throw error;
  }
}

function tooQuick(): ServiceError {
  const message = 'The state of the thread changes faster than it can be read.';
  return new ServiceError('engine_unavailable', message);
}

/** The blobs of one page, fetched when their checkpoint is due and released when no later one needs them. */
class PageBlobs {
  readonly #threads: ThreadQueries;
  readonly #threadId: ThreadId;
  readonly #content: CheckpointSelection['content'];
  /** The keys of each checkpoint's blobs, and the last checkpoint that needs each blob. */
  readonly #keys: string[][];
  readonly #lastUse: ReadonlyMap<string, number>;
  readonly #atHand: Map<string, ChannelBlob>;
  /** Blobs that the thread has and that are not loaded. */
  readonly #unloaded: Map<string, BlobAddress>;

  constructor(
    threads: ThreadQueries,
    threadId: ThreadId,
    page: CheckpointPage,
    content: CheckpointSelection['content'],
  ) {
    this.#threads = threads;
    this.#threadId = threadId;
    this.#content = content;
    this.#keys = page.checkpoints.map(({ ns, versions }) =>
      Object.entries(versions).map(([channel, version]) => addressKey({ ns, channel, version })),
    );
    this.#lastUse = new Map(this.#keys.flatMap((keys, at) => keys.map((key) => [key, at])));
    this.#atHand = new Map(page.blobs.map((blob) => [addressKey(blob), blob]));
    this.#unloaded = new Map(page.omitted.map((address) => [addressKey(address), address]));
  }

  /** The blobs of the checkpoint at `index`; undefined when one of them no longer exists. */
  async of(index: number): Promise<ChannelBlob[] | undefined> {
    const due = this.#keys[index] ?? [];
    this.#letGo(index);
    while (due.some((key) => this.#unloaded.has(key))) {
      if (!(await this.#fetch(index))) return undefined;
    }
    return due.flatMap((key) => this.#atHand.get(key) ?? []);
  }

  async #fetch(index: number): Promise<boolean> {
    const asked = this.#nextAway(index);
    const { blobs } = await this.#threads.query<{ blobs: ChannelBlob[] }>(this.#threadId, 'blobs', {
      addresses: asked.map(({ address }) => address),
      content: this.#content,
    });
    for (const blob of blobs) {
      this.#atHand.set(addressKey(blob), blob);
      this.#unloaded.delete(addressKey(blob));
    }
    // The response has a prefix of the requested blobs; the very first is missing only when it no longer exists.
    const [first] = asked;
    return first !== undefined && this.#atHand.has(first.key);
  }

  #nextAway(index: number): { key: string; address: BlobAddress }[] {
    const found = new Map<string, BlobAddress>();
    for (let at = index; at < this.#keys.length && found.size < ASKED_BLOBS; at++) {
      for (const key of this.#keys[at] ?? []) {
        const address = this.#unloaded.get(key);
        if (address) found.set(key, address);
      }
    }
    return [...found].slice(0, ASKED_BLOBS).map(([key, address]) => ({ key, address }));
  }

  /** Drops blobs that only earlier checkpoints needed, and blobs needed later beyond `KEPT_BYTES`. */
  #letGo(index: number): void {
    const due = new Set(this.#keys[index]);
    let bytes = 0;
    for (const [key, blob] of this.#atHand) {
      if (due.has(key)) continue;
      const isNeeded = (this.#lastUse.get(key) ?? -1) > index;
      bytes += isNeeded ? blobBytes(blob) : 0;
      if (isNeeded && bytes <= KEPT_BYTES) continue;
      this.#atHand.delete(key);
      if (isNeeded) this.#unloaded.set(key, addressOf(blob));
    }
  }
}

/** Blobs with their payloads loaded; those that the next checkpoint shares are loaded once. */
class OpenedBlobs {
  readonly #payloads: PayloadPort;
  readonly #threadId: ThreadId;
  readonly #skipDamaged: boolean;
  #last = new Map<string, ChannelBlob<Uint8Array>>();

  constructor(payloads: PayloadPort, threadId: ThreadId, skipDamaged: boolean) {
    this.#payloads = payloads;
    this.#threadId = threadId;
    this.#skipDamaged = skipDamaged;
  }

  async open(
    kept: ChannelBlob[],
    checkpoint: StoredCheckpoint,
  ): Promise<Pick<ReadCheckpoint, 'blobs' | 'damage'>> {
    const opened = await Promise.all(
      kept.map(async (blob) => {
        const known = this.#last.get(addressKey(blob));
        return known ?? (await this.#openOne(blob, checkpoint));
      }),
    );
    const blobs = opened.flatMap((blob) => (blob instanceof Error ? [] : [blob]));
    const damage = opened.find((blob) => blob instanceof Error);
    this.#last = new Map(blobs.map((blob) => [addressKey(blob), blob]));
    return { blobs, ...(damage && { damage }) };
  }

  async #openOne(
    blob: ChannelBlob,
    checkpoint: StoredCheckpoint,
  ): Promise<ChannelBlob<Uint8Array> | ServiceError> {
    try {
      return await openBlob(this.#payloads, this.#threadId, blob, checkpoint);
    } catch (error) {
      const isDamaged = isServiceError(error) && error.code === 'checkpoint_damaged';
      if (this.#skipDamaged && isDamaged) return error;
      throw error;
    }
  }
}

function addressOf({ ns, channel, version }: BlobAddress): BlobAddress {
  return { ns, channel, version };
}

function addressKey({ ns, channel, version }: BlobAddress): string {
  return `${ns}\n${channel}\n${version}`;
}
