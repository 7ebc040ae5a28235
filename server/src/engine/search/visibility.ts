import { agentOf, THREAD_MEMO, type ThreadMemo } from '../../model/thread/thread-index.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { ThreadStatus } from '../../model/thread/thread.ts';
import { readingClient } from '../../observability/reading-client.ts';
import { callWithRetries } from '../client/calls.ts';
import { createPayloadCodec } from '../client/codec.ts';
import { cachedCount } from './cached-count.ts';
import { endingWith, type EngineConnection } from '../client/connection.ts';
import { threadIdOf } from '../client/thread-client.ts';

/** A thread's entry in the visibility store. */
export interface VisibleThread {
  threadId: ThreadId;
  status: ThreadStatus;
  agentId?: string;
  memo: ThreadMemo;
}

/** A page of entries; `next` is the engine's page token. */
export interface VisiblePage {
  rows: VisibleThread[];
  next?: Uint8Array;
}

/** The engine's visibility store. It reflects changes of threads within milliseconds. */
export interface Visibility {
  list(query: string, pageSize: number, token?: Uint8Array): Promise<VisiblePage>;
  /** May be some seconds old where counting is slow. */
  count(query: string): Promise<number>;
}

type WorkflowService = EngineConnection['client']['workflowService'];
type Execution = Awaited<
  ReturnType<WorkflowService['listWorkflowExecutions']>
>['executions'][number];

/** Queries the engine's visibility store, for as long as a client waits. */
export class EngineVisibility implements Visibility {
  readonly #connection: Pick<EngineConnection, 'client' | 'namespace'>;
  readonly #codec = createPayloadCodec();
  /** May be some seconds old where counting is slow. */
  readonly count: (query: string) => Promise<number>;

  constructor(connection: Pick<EngineConnection, 'client' | 'namespace'>) {
    this.#connection = connection;
    const { client, namespace } = connection;
    this.count = cachedCount(async (query) => {
      const { count } = await callWithRetries(() =>
        client.workflowService.countWorkflowExecutions({ namespace, query }),
      );
      return Number(count);
    });
  }

  async list(query: string, pageSize: number, nextPageToken?: Uint8Array): Promise<VisiblePage> {
    const { client, namespace } = this.#connection;
    const signal = readingClient();
    const page = { namespace, query, pageSize, ...(nextPageToken && { nextPageToken }) };
    const { executions, nextPageToken: next } = await callWithRetries(
      () => endingWith(client, signal, () => client.workflowService.listWorkflowExecutions(page)),
      { signal },
    );
    const rows = await Promise.all(executions.map((execution) => this.#visible(execution)));
    return {
      rows: rows.filter((row) => row !== undefined),
      ...(next.byteLength > 0 && { next }),
    };
  }

  async #visible(execution: Execution): Promise<VisibleThread | undefined> {
    const threadId = threadIdOf(execution.execution?.workflowId ?? '');
    if (threadId === undefined) return undefined;
    const attributes = execution.searchAttributes?.indexedFields;
    const status = attributes?.['ThreadStatus'];
    const agent = attributes?.['RunAgent'];
    const memo = execution.memo?.fields?.[THREAD_MEMO];
    // Every thread is started with both.
    if (!status || !memo) return undefined;
    const [opened = memo] = await this.#codec.decode([memo]);
    return {
      threadId,
      status: parsed<ThreadStatus>(status),
      ...(agent && { agentId: agentOf(parsed<string>(agent)) }),
      memo: parsed<ThreadMemo>(opened),
    };
  }
}

/** Parses a value that our own workflows wrote. */
function parsed<T>({ data }: { data?: Uint8Array | null }): T {
  return JSON.parse(Buffer.from(data ?? []).toString()) as T;
}
