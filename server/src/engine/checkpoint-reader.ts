import type { ThreadId } from '../model/ids.ts';
import type { PlacedBlob, StoredCheckpoint } from '../model/stored.ts';
import type { BlobAddress, CheckpointPage, CheckpointSelection } from '../model/thread-wire.ts';
import { openBlob, openCheckpoint } from './open-checkpoint.ts';
import type { PayloadPort } from './payloads.ts';
import type { ThreadClient } from './thread-client.ts';

/** A checkpoint with all its blobs. */
export interface ReadCheckpoint {
  checkpoint: StoredCheckpoint<Uint8Array>;
  blobs: PlacedBlob<Uint8Array>[];
}

/** A page of the engine's size: asking for more at once only makes answers that do not fit. */
const PAGE_ENTRIES = 200;

/**
 * Reads checkpoints newest first, in as many queries as it takes, and yields each as soon as it is complete.
 * Blobs that several checkpoints share are fetched once per page.
 */
export async function* readCheckpoints(
  threads: ThreadClient,
  payloads: PayloadPort,
  threadId: ThreadId,
  selection: CheckpointSelection,
): AsyncGenerator<ReadCheckpoint> {
  let left = selection.limit ?? Number.POSITIVE_INFINITY;
  let beforeId = selection.beforeId;
  while (left > 0) {
    const page: CheckpointPage = await threads.query(threadId, 'checkpoints', {
      ...selection,
      limit: Math.min(left, PAGE_ENTRIES),
      ...(beforeId !== undefined && { beforeId }),
    });
    const blobs = await collectBlobs(threads, threadId, page, selection.content);
    for (const checkpoint of page.checkpoints) {
      yield {
        checkpoint: await openCheckpoint(payloads, threadId, checkpoint),
        blobs: await Promise.all(
          blobsOf(checkpoint, blobs).map((blob) => openBlob(payloads, threadId, blob, checkpoint)),
        ),
      };
    }
    left -= page.checkpoints.length;
    const isLast = page.nextBeforeId === undefined && page.checkpoints.length < PAGE_ENTRIES;
    if (isLast || page.checkpoints.length === 0) return;
    beforeId = page.nextBeforeId ?? page.checkpoints.at(-1)?.id;
  }
}

type BlobIndex = Map<string, PlacedBlob>;

async function collectBlobs(
  threads: ThreadClient,
  threadId: ThreadId,
  page: CheckpointPage,
  content: CheckpointSelection['content'],
): Promise<BlobIndex> {
  const index: BlobIndex = new Map(page.blobs.map((blob) => [addressKey(blob), blob]));
  let missing = page.omitted;
  while (missing.length > 0) {
    const { blobs } = await threads.query<{ blobs: PlacedBlob[] }>(threadId, 'blobs', {
      addresses: missing,
      content,
    });
    for (const blob of blobs) index.set(addressKey(blob), blob);
    // A blob that is not there any more (its run was deleted meanwhile) is not asked for again.
    missing =
      blobs.length === 0 ? [] : missing.filter((address) => !index.has(addressKey(address)));
  }
  return index;
}

function blobsOf(checkpoint: StoredCheckpoint, index: BlobIndex): PlacedBlob[] {
  return Object.entries(checkpoint.versions).flatMap(([channel, version]) => {
    const blob = index.get(addressKey({ ns: checkpoint.ns, channel, version }));
    return blob ? [blob] : [];
  });
}

function addressKey({ ns, channel, version }: BlobAddress): string {
  return `${ns}\n${channel}\n${version}`;
}
