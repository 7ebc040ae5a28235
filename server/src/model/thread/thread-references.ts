import { isReference, type Payload, type TypedPayload } from '../checkpoint/payload.ts';
import type { StoredBlob } from '../checkpoint/stored.ts';
import { payloadsOf } from '../run/run-record.ts';
import type { ThreadState } from './thread-record.ts';

/** Hashes in one response: 64 digits each, far below the engine's ceiling. */
const PAGE_HASHES = 10_000;

/** Some of the hashes that a thread references, in ascending order; `isLast` unless there are more. */
export interface ReferencePage {
  hashes: string[];
  isLast: boolean;
}

/** The thread's references to external payloads, from the first hash after `after` on. */
export function readReferences(
  state: ThreadState,
  { after, limit = PAGE_HASHES }: { after?: string; limit?: number },
): ReferencePage {
  const hashes = [...referencedHashes(state)]
    .filter((hash) => after === undefined || hash > after)
    .sort();
  return { hashes: hashes.slice(0, limit), isLast: hashes.length <= limit };
}

function referencedHashes(state: ThreadState): Set<string> {
  const hashes = new Set<string>();
  const add = (payload: Payload | undefined): void => {
    if (payload && isReference(payload)) hashes.add(payload.hash);
  };
  const addTyped = ({ bytes }: TypedPayload): void => add(bytes);
  const addBlob = ({ value, json }: StoredBlob): void => {
    addTyped(value);
    add(json);
  };
  add(state.questions);
  add(state.context);
  for (const run of state.runs.values()) payloadsOf(run).forEach(add);
  for (const { checkpoints, blobs } of state.store.namespaces.values()) {
    for (const blob of blobs.values()) addBlob(blob);
    for (const { skeleton, metadata, writes } of checkpoints) {
      addTyped(skeleton);
      addTyped(metadata);
      for (const write of writes) addBlob(write);
    }
  }
  for (const { writes } of state.store.early.values()) {
    for (const write of writes) addBlob(write);
  }
  return hashes;
}

/** The references of threads to external payloads, as their engine knows them. */
export interface ThreadReferences {
  /** Identifies this engine's database. */
  engineId(): Promise<string>;
  /**
   * The hashes that the thread references after every acknowledged change; `gone` only when the engine is the same
   * and certainly does not know the thread. Rejects when that cannot be determined.
   */
  references(threadId: string): Promise<ReadonlySet<string> | 'gone'>;
}
