import { errorTable } from '../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { fromBytes, packFrame } from '../../model/frame.ts';
import type { ThreadId } from '../../model/ids.ts';
import { PAYLOAD_CEILING_BYTES } from '../../model/limits/limits.ts';
import { isQuestion, joinQuestions, openQuestions } from '../../model/checkpoint/open-questions.ts';
import type { Payload, TypedPayload } from '../../model/checkpoint/payload.ts';
import {
  blobBytes,
  checkpointBytes,
  type StoredWrite,
  writeBytes,
} from '../../model/checkpoint/stored.ts';
import type { StoreSnapshot } from '../../model/checkpoint/checkpoint-store.ts';
import { OUTSIDE_RUNS, type ThreadSettings } from '../../model/thread/thread-record.ts';
import type { BlobAddress, CarriedState, ThreadReport } from '../../model/thread/thread-wire.ts';
import type { ThreadOrigin, ThreadView } from '../../model/thread/thread.ts';
import { CALL_PATIENCE_MS } from '../client/calls.ts';
import {
  HEAD_ATTEMPTS,
  type KeptCheckpoint,
  readKeptCheckpoint,
  readKeptCheckpoints,
} from '../read/checkpoint-reader.ts';
import type { OffloadedPayload, PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { Creation } from '../requests.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import {
  newThread,
  newThreadView,
  retaining,
  type ThreadStarter,
} from '../client/thread-starter.ts';

/** The dependencies of copying. */
export interface CopyParts {
  threads: ThreadClient;
  payloads: PayloadPort;
  starter: ThreadStarter;
  settings: ThreadSettings;
}

/** What of the source is copied, and how. */
export interface CopyOptions extends Creation {
  /** Absent: the head. */
  checkpointId?: string;
  /** With the other checkpoints of all namespaces, as many of the newest as fit. */
  isWhole?: boolean;
}

/**
 * Copies a thread: its metadata and one checkpoint of the root namespace with its pending writes, so that a question
 * pending there can be answered on the copy. The two threads share nothing afterwards.
 */
export async function copyThread(
  parts: CopyParts,
  source: ThreadId,
  target: ThreadId,
  { checkpointId, isWhole = false, ...made }: CopyOptions = {},
): Promise<ThreadView> {
  const { threads, starter, settings } = parts;
  const { metadata, agentId, headId, jsonKeys } = await threads.query<ThreadReport>(
    source,
    'thread',
  );
  const { carried, release } = await carry(parts, source, target, {
    checkpointId: checkpointId === headId ? undefined : checkpointId,
    isWhole,
  });
  const { owner, mark, checkpointHistory } = made;
  const start = {
    ...newThread(target, retaining(settings, checkpointHistory)),
    metadata,
    origin: { threadId: source, ...(carried && firstCheckpoint(carried)) },
    ...(jsonKeys && { jsonKeys }),
    ...(owner !== undefined && { owner }),
    ...(carried && { carried: { ...carried, ...(agentId !== undefined && { agentId }) } }),
  };
  let isCertain = true;
  try {
    requireRoom(packFrame(start).byteLength);
    await starter.start(start, mark);
  } catch (error) {
    isCertain = isServiceError(error) && !errorTable[error.code].retry && error.code !== 'internal';
    throw error;
  } finally {
    release({ isCertain });
  }
  return newThreadView(start);
}

/** The head of the copy; LangGraph's metadata have its step. */
function firstCheckpoint({ store }: CarriedState): Omit<ThreadOrigin, 'threadId'> {
  // Ascending, with older ones of all namespaces in a whole copy.
  const checkpoint = store.checkpoints.findLast(({ ns }) => ns === '');
  if (!checkpoint) return {};
  const { step } = JSON.parse(fromBytes(checkpoint.metadataJson)) as { step?: unknown }; // an object
  return { checkpointId: checkpoint.id, ...(typeof step === 'number' && { step }) };
}

interface CarriedCheckpoints {
  head: KeptCheckpoint;
  /** Newest first, each with the blobs that none before it has. */
  others: readonly KeptCheckpoint[];
  context: Payload | undefined;
}

type Carried = Pick<OffloadedPayload<unknown>, 'release'> & { carried?: CarriedState };

/** The checkpoint for the copy. A head that is replaced while its payloads are copied is read again. */
async function carry(
  parts: CopyParts,
  source: ThreadId,
  target: ThreadId,
  { checkpointId, isWhole }: { checkpointId: string | undefined; isWhole: boolean },
): Promise<Carried> {
  for (let attempt = 1; ; attempt++) {
    const kept = await readKeptCheckpoint(parts.threads, source, {
      ns: '',
      content: 'bytes',
      ...(checkpointId !== undefined && { id: checkpointId }),
    });
    if (!kept && checkpointId !== undefined) throw notRetained(checkpointId);
    if (!kept) return { release: () => undefined };
    try {
      const isPast = checkpointId !== undefined;
      const argument = isPast ? { place: { ns: '', id: checkpointId } } : {};
      const { context } = await parts.threads.query<{ context?: Payload }>(
        source,
        'context',
        argument,
      );
      const head = isPast ? { ...kept, checkpoint: reopened(kept.checkpoint) } : kept;
      const others = isWhole ? await othersThatFit(parts.threads, source, head) : [];
      return await carryCheckpoints(parts.payloads, source, target, { head, others, context });
    } catch (error) {
      const isReplaced = isServiceError(error) && error.code === 'checkpoint_not_found';
      if (!isReplaced || attempt >= HEAD_ATTEMPTS) throw error;
    }
  }
}

/** Half of what a thread may start with: the head has the other half. */
const OTHERS_BYTES = PAYLOAD_CEILING_BYTES / 2;

/** The checkpoints besides the head, newest first, until the next one does not fit. */
async function othersThatFit(
  threads: ThreadClient,
  source: ThreadId,
  head: KeptCheckpoint,
): Promise<KeptCheckpoint[]> {
  const others: KeptCheckpoint[] = [];
  const known = new Set(head.blobs.map(addressOf));
  let bytes = 0;
  for await (const kept of readKeptCheckpoints(threads, source, { content: 'bytes' })) {
    const { checkpoint, blobs } = kept;
    if (checkpoint.ns === '' && checkpoint.id >= head.checkpoint.id) continue;
    const own = blobs.filter((blob) => !known.has(addressOf(blob)));
    bytes += checkpointBytes(checkpoint);
    for (const write of checkpoint.writes) bytes += writeBytes(write);
    for (const blob of own) bytes += blobBytes(blob);
    if (bytes > OTHERS_BYTES) break;
    for (const blob of own) known.add(addressOf(blob));
    others.push({ checkpoint, blobs: own });
  }
  return others;
}

function addressOf({ ns, channel, version }: BlobAddress): string {
  return JSON.stringify([ns, channel, version]);
}

async function carryCheckpoints(
  payloads: PayloadPort,
  source: ThreadId,
  target: ThreadId,
  { head, others, context }: CarriedCheckpoints,
): Promise<Carried> {
  const all: OffloadedPayload<Payload>[] = [];
  const release: Carried['release'] = (outcome) => {
    for (const offloaded of all) offloaded.release(outcome);
  };
  const copy = async (payload: Payload): Promise<Payload> => {
    const offloaded = await payloads.copy(source, target, payload, {
      patienceMs: CALL_PATIENCE_MS,
    });
    all.push(offloaded);
    return offloaded.kept;
  };
  const copyTyped = async ({ tag, bytes }: TypedPayload): Promise<TypedPayload> => {
    return { tag, bytes: await copy(bytes) };
  };
  // One after the other, so that only one payload is in memory at a time.
  const copyValues = async <T extends { value: TypedPayload; json?: Payload }>(
    entries: T[],
  ): Promise<T[]> => {
    const copied: T[] = [];
    for (const entry of entries) {
      const value = await copyTyped(entry.value);
      copied.push({ ...entry, value, ...(entry.json && { json: await copy(entry.json) }) });
    }
    return copied;
  };
  try {
    const everything = [head, ...others].toReversed();
    const ids = new Set(everything.map(({ checkpoint: { ns, id } }) => `${ns}\n${id}`));
    const questions = await questionsOf(payloads, source, head.checkpoint.writes);
    const store: StoreSnapshot = { checkpoints: [], blobs: [] };
    for (const { checkpoint, blobs } of everything) {
      const { parentId, ...kept } = checkpoint;
      store.checkpoints.push({
        ...kept,
        ...(parentId !== undefined && ids.has(`${kept.ns}\n${parentId}`) && { parentId }),
        run: OUTSIDE_RUNS,
        skeleton: await copyTyped(kept.skeleton),
        metadata: await copyTyped(kept.metadata),
        writes: await copyValues(kept.writes),
      });
      store.blobs.push(...(await copyValues(blobs)));
    }
    const carried = {
      store,
      ...(questions && { questions }),
      ...(context && { context: await copy(context) }),
    };
    return { carried, release };
  } catch (error) {
    release({ isCertain: true });
    throw error;
  }
}

/**
 * A checkpoint after which the source has continued: the copy executes its step anew, and a question that was answered
 * there can be answered differently.
 */
function reopened(checkpoint: KeptCheckpoint['checkpoint']): KeptCheckpoint['checkpoint'] {
  return { ...checkpoint, writes: checkpoint.writes.filter(isQuestion) };
}

function notRetained(checkpointId: string): ServiceError {
  const message = `There is no checkpoint ${checkpointId} on this thread, or it is no longer retained.`;
  return new ServiceError('checkpoint_not_found', message);
}

/** The questions that are pending at the checkpoint; undefined when there are none. */
async function questionsOf(
  payloads: PayloadPort,
  threadId: ThreadId,
  writes: readonly StoredWrite[],
): Promise<Uint8Array | undefined> {
  const open = openQuestions(writes);
  if (open.length === 0) return undefined;
  return joinQuestions(await Promise.all(open.map((list) => payloads.open(threadId, list))));
}

/** A thread starts with one payload of the engine. */
function requireRoom(size: number): void {
  if (size <= PAYLOAD_CEILING_BYTES) return;
  throw new ServiceError(
    'checkpoint_too_large',
    `The checkpoint to copy is ${size} bytes; the limit is ${PAYLOAD_CEILING_BYTES} bytes.`,
    { details: { size, limit: PAYLOAD_CEILING_BYTES } },
  );
}
