import type { ThreadId } from '../../model/ids.ts';
import type { MovedThread, ThreadPart } from '../../model/thread/thread-part.ts';
import type { RestartPolicy, ThreadSettings } from '../../model/thread/thread-wire.ts';
import type { EngineConnection } from '../client/connection.ts';
import type { PayloadPort } from '../../model/checkpoint/payload-port.ts';
import type { ThreadClient } from '../client/thread-client.ts';
import { exportThread, listThreads } from './thread-export.ts';
import { ThreadImport, type ImportOptions } from './thread-import.ts';
import type { ThreadStarter } from '../client/thread-starter.ts';

/** Takes threads out of the engine and puts them into it. Both need a worker that runs their workflows. */
export interface ThreadMover {
  /** Every thread of this agent folder, but for those of stateless runs. */
  list(): AsyncIterable<ThreadId>;
  /** The parts of one state of a thread. `thread_not_found`; `thread_busy` when it does not hold still. */
  export(threadId: ThreadId, signal?: AbortSignal): AsyncIterable<ThreadPart>;
  /** Begins to take a thread in. Nothing is there before it is finished. */
  beginImport(thread: MovedThread, options?: ImportOptions): ThreadImport;
}

/** What moving threads takes. */
export interface MoverParts {
  connection: EngineConnection;
  taskQueue: string;
  threads: ThreadClient;
  starter: ThreadStarter;
  payloads: PayloadPort;
  /** Of threads that come to live here. */
  settings: ThreadSettings;
  /** Of runs that go on here. */
  restart: RestartPolicy;
}

/** Moves threads out of and into one engine. */
export function createThreadMover(parts: MoverParts): ThreadMover {
  const { connection, taskQueue, threads, payloads } = parts;
  return {
    list: () => listThreads(connection, taskQueue),
    export: (threadId, signal) => exportThread(threads, payloads, threadId, signal),
    beginImport: (thread, options) => new ThreadImport(parts, thread, options),
  };
}
