import { GuestError } from './guest-error.ts';
import type { Blob, CheckpointMessage, Typed, WriteOp, WritesMessage } from './wire.ts';

/** Field numbers, lengths and ids around a value. Estimated high: a refusal must come from here, not from gRPC. */
const envelopeBytes = 256;

interface Part {
  name: string;
  bytes: number;
}

/** The error of a write that does not fit into one message, naming its largest part; undefined when it fits. */
export function checkWriteSize(
  op: WriteOp,
  { maxMessageBytes, nameOfTask }: { maxMessageBytes: number; nameOfTask: (id: string) => string },
): GuestError | undefined {
  const parts = 'save' in op ? partsOfSave(op.save) : partsOfWrites(op.writes);
  const total = parts.reduce((sum, part) => sum + part.bytes, envelopeBytes);
  if (total <= maxMessageBytes) return undefined;
  const largest = parts.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const what =
    'save' in op ? 'checkpoint' : `pending write of ${taskOf(op.writes.taskId, nameOfTask)}`;
  return new GuestError(
    'checkpoint_too_large',
    `The ${what} is too large: ${total} bytes, of which ${largest.name} takes ${largest.bytes} bytes; the limit is ${maxMessageBytes} bytes.`,
  );
}

function taskOf(id: string, nameOfTask: (id: string) => string): string {
  const name = nameOfTask(id);
  return name === '' ? `task ${id}` : `task "${name}"`;
}

function partsOfSave(save: CheckpointMessage): Part[] {
  return [
    { name: 'the checkpoint without its channels', bytes: typedBytes(save.skeleton) },
    { name: 'the metadata', bytes: typedBytes(save.metadata) + textBytes(save.metadataJson) },
    ...save.blobs.map(channelPart),
  ];
}

function partsOfWrites(writes: WritesMessage): Part[] {
  return writes.writes.map(channelPart);
}

function channelPart(value: Pick<Blob, 'channel' | 'value' | 'json'>): Part {
  const bytes = typedBytes(value.value) + textBytes(value.json) + envelopeBytes;
  return { name: `channel "${value.channel}"`, bytes };
}

function typedBytes(typed: Typed | null): number {
  return typed === null ? 0 : typed.data.byteLength;
}

function textBytes(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
