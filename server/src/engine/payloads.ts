import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { ServiceError } from '../errors/service-error.ts';
import { isDeflated, isReference, type Payload, type TypedPayload } from '../model/payload.ts';
import type { PlacedBlob, StoredCheckpoint, StoredWrite } from '../model/stored.ts';

const inflate = promisify(inflateRaw);

/** The only way from a payload as a thread keeps it to its bytes. */
export interface PayloadPort {
  /** The bytes of one payload. Rejects when they are missing or damaged. */
  open(threadId: string, payload: Payload): Promise<Uint8Array>;
}

/** Payloads that lie within their thread. */
export function createInlinePayloads(): PayloadPort {
  return {
    async open(_threadId, payload) {
      if (isReference(payload)) {
        throw new ServiceError('internal', 'External checkpoint storage is switched off.');
      }
      return isDeflated(payload) ? inflate(payload.deflated) : payload;
    },
  };
}

/** A blob with its payloads at hand. */
export async function openBlob(
  payloads: PayloadPort,
  threadId: string,
  blob: PlacedBlob,
): Promise<PlacedBlob<Uint8Array>> {
  const { json, value, ...place } = blob;
  return {
    ...place,
    value: await openTyped(payloads, threadId, value),
    ...(json && { json: await payloads.open(threadId, json) }),
  };
}

/** A checkpoint with its own payloads and those of its pending writes at hand. */
export async function openCheckpoint(
  payloads: PayloadPort,
  threadId: string,
  checkpoint: StoredCheckpoint,
): Promise<StoredCheckpoint<Uint8Array>> {
  return {
    ...checkpoint,
    skeleton: await openTyped(payloads, threadId, checkpoint.skeleton),
    metadata: await openTyped(payloads, threadId, checkpoint.metadata),
    writes: await Promise.all(
      checkpoint.writes.map((write) => openWrite(payloads, threadId, write)),
    ),
  };
}

async function openWrite(
  payloads: PayloadPort,
  threadId: string,
  write: StoredWrite,
): Promise<StoredWrite<Uint8Array>> {
  const { json, value, ...place } = write;
  return {
    ...place,
    value: await openTyped(payloads, threadId, value),
    ...(json && { json: await payloads.open(threadId, json) }),
  };
}

async function openTyped(
  payloads: PayloadPort,
  threadId: string,
  { tag, bytes }: TypedPayload,
): Promise<TypedPayload<Uint8Array>> {
  return { tag, bytes: await payloads.open(threadId, bytes) };
}
