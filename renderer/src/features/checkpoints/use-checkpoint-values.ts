import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { request } from '../../api/client.ts';
import { currentPrincipal } from '../../state/principal.ts';
import { jsonCall, openJson, type JsonDocument } from '../../ui/json/json-client.ts';

/** How many states stay in the worker's memory; a checkpoint's values never change. */
const maxDocuments = 12;
const documents = new Map<string, Promise<JsonDocument>>();

/** The values at a checkpoint, parsed in the worker. */
export function useCheckpointValues(
  threadId: string,
  checkpointId: string | undefined,
): UseQueryResult<JsonDocument> {
  return useQuery({
    queryKey: ['checkpoint-values', threadId, checkpointId],
    queryFn: () => openValues(threadId, checkpointId ?? ''),
    enabled: checkpointId !== undefined,
    staleTime: Infinity,
    // The documents have their own cache, which may evict them.
    gcTime: 0,
  });
}

/** Prefetches the values of a checkpoint that will be shown, while the page renders without them. */
export function readValuesAhead(threadId: string, checkpointId: string): void {
  // The component that shows them handles the failure.
  openValues(threadId, checkpointId).catch(() => undefined);
}

/** The values at a checkpoint as text, read first where they are not there yet. */
export async function checkpointText(threadId: string, checkpointId: string): Promise<string> {
  const { id } = await openValues(threadId, checkpointId);
  return jsonCall('text', [id, []]);
}

async function openValues(threadId: string, checkpointId: string): Promise<JsonDocument> {
  const key = JSON.stringify([currentPrincipal()?.name, threadId, checkpointId]);
  const opening = documents.get(key) ?? readValues(threadId, checkpointId);
  documents.delete(key);
  documents.set(key, opening);
  for (const [oldest, document] of documents) {
    if (documents.size <= maxDocuments) break;
    documents.delete(oldest);
    document.then(
      ({ close }) => close(),
      () => undefined,
    );
  }
  try {
    return await opening;
  } catch (error) {
    documents.delete(key);
    throw error;
  }
}

async function readValues(threadId: string, checkpointId: string): Promise<JsonDocument> {
  const path: `/${string}` = `/threads/${encodeURIComponent(threadId)}/state/${encodeURIComponent(checkpointId)}`;
  const response = await request(path);
  return openJson({ bytes: await response.arrayBuffer(), path: ['values'] });
}
