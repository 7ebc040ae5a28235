/**
 * The data that the engine's visibility store gets about a thread, so that searches find it without querying the
 * thread: search attributes for filters, a memo for the contents of a row. Both sides of the engine make them here.
 */
import { INDEXED_METADATA_PAIRS } from '../limits/limits.ts';
import type { ThreadState } from './thread-record.ts';
import { newestRun, runIndex } from './thread-state.ts';
import type { RunIndex } from './thread.ts';

/** The contents of a search row besides the status. */
export interface ThreadMemo {
  createdAt: number;
  metadata: Record<string, string>;
  /** The `sub` that created the thread. */
  owner?: string;
  /** As in ThreadState. */
  jsonKeys?: string[];
}

/** The memo's only key. */
export const THREAD_MEMO = 'thread';

/** A value in `ThreadMeta` when there are more pairs than it holds: such a thread is a candidate for every pair. */
export const MORE_PAIRS = 'more';

/** The newest run of a thread. */
export function runIndexOf(state: ThreadState): RunIndex {
  return runIndex(newestRun(state), state.agentId);
}

/** The memo of a thread. */
export function memoOf({ createdAt, metadata, owner, jsonKeys }: ThreadMemo): {
  [THREAD_MEMO]: ThreadMemo;
} {
  const memo = { createdAt, metadata, ...(owner !== undefined && { owner }) };
  return { [THREAD_MEMO]: { ...memo, ...(jsonKeys && { jsonKeys }) } };
}

/** The values of `ThreadMeta`: one for each pair, as many as the engine accepts. */
export function metadataTokens(metadata: Record<string, string>): string[] {
  const pairs = Object.entries(metadata);
  const tokens = pairs
    .slice(0, INDEXED_METADATA_PAIRS)
    .map(([key, value]) => pairToken(key, value));
  return pairs.length > tokens.length ? [...tokens, MORE_PAIRS] : tokens;
}

/** The value of `ThreadMeta` for one pair. Another pair may have the same: rows are compared with the memo. */
export function pairToken(key: string, value: string): string {
  return textHash(JSON.stringify([key, value]));
}

/** An agent's name as the value of `RunAgent`: characters with a meaning in a visibility query are escaped. */
export function agentToken(agentId: string): string {
  return agentId.replaceAll(
    /["'\\%\s♡]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The agent's name in such a value. */
export function agentOf(token: string): string {
  return token.replaceAll(/%([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** 64 bits of a text in 14 lower-case letters and digits (cyrb64). No secret depends on it. */
export function textHash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  const half = (value: number): string => (value >>> 0).toString(36).padStart(7, '0');
  return half(a) + half(b);
}
