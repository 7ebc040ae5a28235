import type { ThreadId } from '../../model/ids.ts';
import type { MovedThread, ThreadPart } from '../../model/thread/thread-part.ts';
import { exportThread, listThreads } from './thread-export.ts';
import { type ImportOptions, type MoverParts, ThreadImport } from './thread-import.ts';

/** Exports threads from the engine and imports them into it. Both need a worker that runs their workflows. */
export interface ThreadMover {
  /** Every thread of this agent folder, except those of stateless runs. */
  list(): AsyncIterable<ThreadId>;
  /** The parts of one state of a thread. `thread_not_found`; `thread_busy` when it keeps changing. */
  export(threadId: ThreadId, signal?: AbortSignal): AsyncIterable<ThreadPart>;
  /** Begins to import a thread. It does not exist before the import is finished. */
  beginImport(thread: MovedThread, options?: ImportOptions): ThreadImport;
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
