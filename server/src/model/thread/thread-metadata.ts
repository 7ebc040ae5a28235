import { toBytes } from '../frame.ts';
import { deriveLimits } from '../limits/limits.ts';
import type { Refusal } from './thread-reducer.ts';
import type { ThreadState } from './thread-record.ts';
import type { MetadataPatch } from './thread-wire.ts';

/** Whether the thread accepts these keys: its metadata is part of its state and of every response. */
export function checkPatchMetadata(
  state: ThreadState,
  metadata: Record<string, string>,
): Refusal | undefined {
  const size = toBytes(JSON.stringify({ ...state.metadata, ...metadata })).byteLength;
  const limit = deriveLimits(state.settings).threadMetadata;
  if (size <= limit) return undefined;
  return {
    code: 'payload_too_large',
    message: `With this change the metadata of the thread is ${size} bytes as JSON; the limit is ${limit} bytes.`,
  };
}

/** Spec: PATCH /threads. Merges by key. */
export function patchMetadata(
  state: ThreadState,
  { metadata, now, jsonKeys = [] }: MetadataPatch,
): void {
  state.metadata = { ...state.metadata, ...metadata };
  const others = (state.jsonKeys ?? []).filter((key) => !Object.hasOwn(metadata, key));
  const all = [...others, ...jsonKeys];
  if (all.length > 0) state.jsonKeys = all;
  else delete state.jsonKeys;
  state.updatedAt = now;
}
