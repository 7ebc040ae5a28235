import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { Payload, TypedPayload } from '../../model/checkpoint/payload.ts';
import type { ChannelBlob, StoredCheckpoint, StoredWrite } from '../../model/checkpoint/stored.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';

type Opener = Pick<PayloadPort, 'open'>;

/**
 * A checkpoint's own payloads and those of its pending writes. Rejects with `checkpoint_damaged`, naming the payload.
 */
export async function openCheckpoint(
  payloads: Opener,
  threadId: string,
  checkpoint: StoredCheckpoint,
): Promise<StoredCheckpoint<Uint8Array>> {
  const at = checkpointRef(checkpoint);
  const own = async (part: string, typed: TypedPayload): Promise<TypedPayload<Uint8Array>> => {
    return openTyped(payloads, threadId, typed, `the ${part} of ${at}`);
  };
  return {
    ...checkpoint,
    skeleton: await own('skeleton', checkpoint.skeleton),
    metadata: await own('metadata', checkpoint.metadata),
    writes: await Promise.all(
      checkpoint.writes.map((write) => openWrite(payloads, threadId, write, at)),
    ),
  };
}

/** A blob of this checkpoint with its payloads. Rejects with `checkpoint_damaged`, naming both. */
export async function openBlob(
  payloads: Opener,
  threadId: string,
  blob: ChannelBlob,
  checkpoint: { ns: string; id: string },
): Promise<ChannelBlob<Uint8Array>> {
  const { json, value, ...rest } = blob;
  const where = `channel "${blob.channel}" of ${checkpointRef(checkpoint)}`;
  return {
    ...rest,
    value: await openTyped(payloads, threadId, value, where),
    ...(json && { json: await openAt(payloads, threadId, json, where) }),
  };
}

async function openWrite(
  payloads: Opener,
  threadId: string,
  write: StoredWrite,
  at: string,
): Promise<StoredWrite<Uint8Array>> {
  const { json, value, ...rest } = write;
  const where = `the pending write of task ${write.taskId} to "${write.channel}" beside ${at}`;
  return {
    ...rest,
    value: await openTyped(payloads, threadId, value, where),
    ...(json && { json: await openAt(payloads, threadId, json, where) }),
  };
}

async function openTyped(
  payloads: Opener,
  threadId: string,
  { tag, bytes }: TypedPayload,
  where: string,
): Promise<TypedPayload<Uint8Array>> {
  return { tag, bytes: await openAt(payloads, threadId, bytes, where) };
}

async function openAt(
  payloads: Opener,
  threadId: string,
  payload: Payload,
  where: string,
): Promise<Uint8Array> {
  // Nearly all are inline.
  if (payload instanceof Uint8Array) return payload;
  try {
    return await payloads.open(threadId, payload);
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'checkpoint_damaged') throw error;
    const { message, details } = error;
    const sentence = `${capitalised(where)} cannot be read: ${message}`;
    throw new ServiceError('checkpoint_damaged', sentence, { details, cause: error });
  }
}

function checkpointRef({ ns, id }: { ns: string; id: string }): string {
  return `checkpoint ${id} in ${ns === '' ? 'the root namespace' : `namespace "${ns}"`}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
