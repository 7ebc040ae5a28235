import type { ThreadId } from '../../model/ids.ts';
import type { MovedThread, ThreadPart } from '../../model/thread/thread-part.ts';
import { exportThread, listThreads } from './thread-export.ts';
import { type ImportOptions, type MoverParts, ThreadImport } from './thread-import.ts';

/** What moves threads, whatever engine they are in. */
export type Mover = Pick<ThreadMover, keyof ThreadMover>;

/** Exports threads from one engine and imports them into it. Both need a worker that runs their workflows. */
export class ThreadMover {
  readonly #parts: MoverParts;

  constructor(parts: MoverParts) {
    this.#parts = parts;
  }

  /** Every thread of this agent folder, except those of stateless runs. */
  list(): AsyncIterable<ThreadId> {
    return listThreads(this.#parts.connection, this.#parts.taskQueue);
  }

  /** The parts of one state of a thread. `thread_not_found`; `thread_busy` when it keeps changing. */
  export(threadId: ThreadId, signal?: AbortSignal): AsyncIterable<ThreadPart> {
    return exportThread(this.#parts.threads, this.#parts.payloads, threadId, signal);
  }

  /** Begins to import a thread. It does not exist before the import is finished. */
  beginImport(thread: MovedThread, options?: ImportOptions): ThreadImport {
    return new ThreadImport(this.#parts, thread, options);
  }
}
