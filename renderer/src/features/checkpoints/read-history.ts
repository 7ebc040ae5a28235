import { request } from '../../api/client.ts';
import { jsonCall, openJson } from '../../ui/json/json-client.ts';
import { toCheckpoint } from './checkpoint.ts';
import type { HistoryPage } from './merge-history.ts';

interface PageRequest {
  readonly limit: number;
  /** Only those older than this checkpoint. */
  readonly before?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page of checkpoints of all namespaces without their values: the response is parsed in a worker. */
export async function readHistory(
  threadId: string,
  { limit, before, signal }: PageRequest,
): Promise<HistoryPage & { readonly bytes: number }> {
  const response = await request(`/threads/${encodeURIComponent(threadId)}/history`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ limit, before, checkpoint: { checkpoint_ns: '*' } }),
    signal: signal ?? null,
  });
  const bytes = await response.arrayBuffer();
  const size = bytes.byteLength;
  const document = await openJson({ bytes });
  const skeletons = await jsonCall('skeletons', [document.id, 'values']);
  document.close();
  return {
    checkpoints: skeletons.map(toCheckpoint),
    isLast: skeletons.length < limit,
    bytes: size,
  };
}
