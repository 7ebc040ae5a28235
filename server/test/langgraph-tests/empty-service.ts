import { Client } from '@langchain/langgraph-sdk';

/** Removes what earlier tests left, of the kinds that are asked for. */
export async function emptyService(
  apiUrl: string,
  { threads = false, store = false, assistants = false }: Record<string, boolean>,
): Promise<void> {
  const client = new Client({ apiUrl, apiKey: null });
  if (threads) await removeThreads(client);
  if (store) await removeItems(client);
  if (assistants) await removeAssistants(client);
}

const PAGE = 100;

/** A search follows a removal within a second: so a thread that is already gone may be found once more. */
async function removeThreads(client: Client): Promise<void> {
  for (;;) {
    const found = await client.threads.search({ limit: PAGE, select: ['thread_id'] });
    if (found.length === 0) return;
    for (const { thread_id: id } of found) await client.threads.delete(id).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function removeItems(client: Client): Promise<void> {
  const { namespaces } = await client.store.listNamespaces({ limit: PAGE });
  for (const namespace of namespaces) {
    const { items } = await client.store.searchItems(namespace, { limit: PAGE });
    for (const { namespace: at, key } of items) await client.store.deleteItem(at, key);
  }
}

/** Those of the manifest stay. */
async function removeAssistants(client: Client): Promise<void> {
  const found = await client.assistants.search({ limit: PAGE });
  for (const { assistant_id: id, metadata } of found) {
    const isMade = metadata?.['created_by'] !== 'system';
    if (isMade) await client.assistants.delete(id).catch(() => undefined);
  }
}
