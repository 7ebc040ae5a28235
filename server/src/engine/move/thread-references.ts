import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { ReferencePage, ThreadReferences } from '../../model/thread/thread-references.ts';
import type { EngineConnection } from '../client/connection.ts';
import type { ThreadClient } from '../client/thread-client.ts';

/** Queries threads for their references, in as many queries as it takes. */
export function createThreadReferences(
  connection: EngineConnection,
  threads: ThreadClient,
): ThreadReferences {
  let known: string | undefined;

  async function namespaceId(): Promise<string> {
    const { client, namespace } = connection;
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id;
    if (id) return id;
    throw new ServiceError('engine_unavailable', `The engine does not describe ${namespace}.`);
  }

  async function engineId(): Promise<string> {
    return (known ??= await namespaceId());
  }

  return {
    engineId,
    async references(threadId) {
      const hashes = new Set<string>();
      let after: string | undefined;
      try {
        for (;;) {
          const page: ReferencePage = await threads.query(
            threadId as ThreadId, // was one when its first payload was written
            'references',
            after === undefined ? {} : { after },
          );
          for (const hash of page.hashes) hashes.add(hash);
          after = page.hashes.at(-1);
          if (page.isLast || after === undefined) return hashes;
        }
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'thread_not_found') throw error;
        // An engine whose database was replaced knows no thread at all.
        if ((await namespaceId()) === (await engineId())) return 'gone';
        throw error;
      }
    },
  };
}
