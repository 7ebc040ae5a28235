import { copyThread } from './generated/sdk.gen.ts';

/** Copies a thread as it was at a checkpoint, or as it is now; returns the copy's id. */
export async function forkThread(
  threadId: string,
  checkpoint?: { readonly id: string },
): Promise<string> {
  const path = { thread_id: threadId };
  const body = checkpoint === undefined ? {} : { checkpoint: { checkpoint_id: checkpoint.id } };
  const { data } = await copyThread({ path, body, throwOnError: true });
  return data.thread_id;
}
