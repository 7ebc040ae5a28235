import type { Payload, TypedPayload } from './payload.ts';
import type { StoredBlob, StoredOp } from './stored.ts';

/** Above this size a payload is deflated when that pays; below it, the engine's own compression is as good. */
export const DEFLATE_ABOVE_BYTES = 16 * 1_024;

/** A deflated payload is kept when it is at most this fraction of its content; otherwise it only costs time. */
export const DEFLATE_PAYS_AT = 0.9;

/**
 * True when the write has a payload of at least `bytes`. Metadata's projection always stays inline and does not count.
 */
export function hasPayloadOf(op: StoredOp<Uint8Array>, bytes: number): boolean {
  const isLarge = ({ value, json }: StoredBlob<Uint8Array>): boolean =>
    value.bytes.byteLength >= bytes || (json !== undefined && json.byteLength >= bytes);
  if (op.kind === 'writes') return op.writes.some(isLarge);
  const { skeleton, metadata } = op.checkpoint;
  return (
    skeleton.bytes.byteLength >= bytes ||
    metadata.bytes.byteLength >= bytes ||
    op.blobs.some(isLarge)
  );
}

/**
 * The write with every payload replaced by the result of `keep`, which is called for all of them before any is awaited.
 */
export async function offloadOp(
  op: StoredOp<Uint8Array>,
  keep: (bytes: Uint8Array) => Promise<Payload>,
): Promise<StoredOp> {
  const typed = async ({ tag, bytes }: TypedPayload<Uint8Array>): Promise<TypedPayload> => {
    return { tag, bytes: await keep(bytes) };
  };
  const offloaded = async <B extends StoredBlob<Uint8Array>>({
    value,
    json,
    ...others
  }: B): Promise<Omit<B, 'value' | 'json'> & StoredBlob> => {
    const [keptValue, keptJson] = await Promise.all([typed(value), json && keep(json)]);
    return { ...others, value: keptValue, ...(keptJson && { json: keptJson }) };
  };
  if (op.kind === 'writes') return { ...op, writes: await Promise.all(op.writes.map(offloaded)) };
  const { checkpoint } = op;
  const [skeleton, metadata, blobs] = await Promise.all([
    typed(checkpoint.skeleton),
    typed(checkpoint.metadata),
    Promise.all(op.blobs.map(offloaded)),
  ]);
  return { kind: 'save', checkpoint: { ...checkpoint, skeleton, metadata }, blobs };
}
