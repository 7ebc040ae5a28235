import { ApiError } from './errors.ts';
import { copyThread, getHistory, patchThread } from './generated/sdk.gen.ts';
import type { Thread } from './generated/types.gen.ts';

/** A checkpoint that a copy begins with. */
export interface OriginCheckpoint {
  readonly id: string;
  readonly step: number | undefined;
}

/** What a thread is a copy of. */
export interface ThreadOrigin {
  readonly threadId: string;
  /** Undefined for a copy of a thread that never ran. */
  readonly checkpoint: OriginCheckpoint | undefined;
}

/** The metadata that the studio gives its copies. The service copies a thread's metadata, and adds nothing to it. */
const keys = { thread: 'forked_from', checkpoint: 'forked_checkpoint', step: 'forked_step' };

/** Copies a thread as it was at a checkpoint, or as it is now, and records where it comes from; returns the copy's id. */
export async function forkThread(threadId: string, given?: OriginCheckpoint): Promise<string> {
  const path = { thread_id: threadId };
  const checkpoint = given ?? (await headOf(threadId));
  const body = checkpoint === undefined ? {} : { checkpoint: { checkpoint_id: checkpoint.id } };
  const { data } = await copyThread({ path, body, throwOnError: true });
  const metadata = {
    [keys.thread]: threadId,
    // Empty: those of the thread itself, if it is a copy, came along.
    [keys.checkpoint]: checkpoint?.id ?? '',
    [keys.step]: checkpoint?.step === undefined ? '' : String(checkpoint.step),
  };
  try {
    await patchThread({
      path: { thread_id: data.thread_id },
      body: { metadata },
      throwOnError: true,
    });
  } catch (error) {
    // Who may copy but not change threads has a copy all the same, of an unknown origin.
    if (!(error instanceof ApiError)) throw error;
  }
  return data.thread_id;
}

async function headOf(threadId: string): Promise<OriginCheckpoint | undefined> {
  const path = { thread_id: threadId };
  const { data } = await getHistory({ path, query: { limit: 1 }, throwOnError: true });
  const [head] = data;
  const id = head?.checkpoint.checkpoint_id;
  const step = head?.metadata?.['step'];
  return id === undefined ? undefined : { id, step: typeof step === 'number' ? step : undefined };
}

/** What a thread is a copy of, from its metadata; undefined for others. */
export function originOf(metadata: Thread['metadata']): ThreadOrigin | undefined {
  const threadId = metadata[keys.thread] ?? '';
  const id = metadata[keys.checkpoint] ?? '';
  const step = metadata[keys.step] ?? '';
  if (threadId === '') return undefined;
  const known = /^-?\d+$/.test(step) ? Number(step) : undefined;
  return { threadId, checkpoint: id === '' ? undefined : { id, step: known } };
}

/** The metadata without the origin, which is shown in words. */
export function withoutOrigin(metadata: Thread['metadata']): Thread['metadata'] {
  const hidden = new Set(Object.values(keys));
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !hidden.has(key)));
}
