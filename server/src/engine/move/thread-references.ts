import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { ReferencePage, ThreadReferences } from '../../model/thread/thread-references.ts';
import type { EngineConnection } from '../client/connection.ts';
import type { ThreadClient } from '../client/thread-client.ts';

/** Queries threads for their references, in as many queries as it takes. */
export class EngineReferences implements ThreadReferences {
  readonly #connection: EngineConnection;
  readonly #threads: ThreadClient;
  #engineId: string | undefined;

  constructor(connection: EngineConnection, threads: ThreadClient) {
    this.#connection = connection;
    this.#threads = threads;
  }

  async engineId(): Promise<string> {
    return (this.#engineId ??= await this.#namespaceId());
  }

  async references(threadId: string): Promise<ReadonlySet<string> | 'gone'> {
    const hashes = new Set<string>();
    let after: string | undefined;
    try {
      for (;;) {
        const page: ReferencePage = await this.#threads.query(
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
      if ((await this.#namespaceId()) === (await this.engineId())) return 'gone';
      throw error;
    }
  }

  async #namespaceId(): Promise<string> {
    const { client, namespace } = this.#connection;
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id;
    if (id) return id;
    throw new ServiceError('engine_unavailable', `The engine does not describe ${namespace}.`);
  }
}
