import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withTimeLimit } from '../concurrency/concurrency.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { HistoryEvent } from './events.ts';
import { CLOSE_LIMIT_MS, READ_LIMIT_MS, REST_AFTER_MS } from './limits.ts';
import type {
  HistoryMethods,
  HistoryRequest,
  HistoryResponse,
  HistoryThreadData,
} from './protocol.ts';

/** What the connection reports. */
export interface ConnectionReports {
  /** Events could not be written, with the reason. */
  onLost(reason: string, events: readonly HistoryEvent[]): void;
  onRemoved(runs: number): void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The history's thread. One that has failed, or does not respond, is replaced at the next request. */
export class HistoryConnection {
  readonly #data: HistoryThreadData;
  readonly #reports: ConnectionReports;
  readonly #restAfterMs: number;
  readonly #calls = new Map<number, Waiting>();
  readonly #batches = new Map<number, { events: HistoryEvent[]; resolve(): void }>();
  #thread: Worker | undefined;
  #last = 0;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    data: HistoryThreadData,
    reports: ConnectionReports,
    restAfterMs: number = REST_AFTER_MS,
  ) {
    this.#data = data;
    this.#reports = reports;
    this.#restAfterMs = restAfterMs;
  }

  /** The thread is there. */
  get isOpen(): boolean {
    return this.#thread !== undefined;
  }

  /** Resolves when the events are written, or are lost. */
  write(events: HistoryEvent[]): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const batch = (this.#last += 1);
    return new Promise((resolve) => {
      this.#batches.set(batch, { events, resolve });
      this.#post({ batch, events });
    });
  }

  /** `history_unavailable` */
  async call<M extends keyof HistoryMethods>(
    method: M,
    ...args: Parameters<HistoryMethods[M]>
  ): Promise<Awaited<ReturnType<HistoryMethods[M]>>> {
    if (this.#isClosed) throw unavailable();
    const call = (this.#last += 1);
    const pending = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
    });
    pending.catch(() => undefined); // raced below; a late rejection needs no handler
    try {
      this.#post({ call, method, args });
      // The thread returns what the method of this name returns.
      return (await withTimeLimit(pending, READ_LIMIT_MS, 'The history')) as Awaited<
        ReturnType<HistoryMethods[M]>
      >;
    } catch (error) {
      // The thread may be busy with others; what it writes is not given up for a read.
      throw error instanceof ServiceError ? error : unavailable(error);
    } finally {
      this.#calls.delete(call);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    clearTimeout(this.#rest);
    if (this.#thread) {
      const closed = this.call('close').catch(() => undefined);
      await withTimeLimit(closed, CLOSE_LIMIT_MS, 'The last writes').catch(() => undefined);
    }
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #post(request: HistoryRequest): void {
    clearTimeout(this.#rest);
    this.#thread ??= this.#open();
    this.#thread.postMessage(request);
  }

  get #isPending(): boolean {
    return this.#calls.size > 0 || this.#batches.size > 0;
  }

  #restLater(): void {
    clearTimeout(this.#rest);
    if (this.#isPending || this.#isClosed) return;
    // This timer does not keep the process alive.
    this.#rest = setTimeout(() => void this.#restNow(), this.#restAfterMs).unref();
  }

  /** Ends the thread when no run goes on. What was asked meanwhile is handled by it as before. */
  async #restNow(): Promise<void> {
    const thread = this.#thread;
    const hasClosed = await this.call('rest').catch(() => false);
    if (!hasClosed || this.#isPending || this.#thread !== thread) return;
    clearTimeout(this.#rest);
    this.#thread = undefined;
    await thread?.terminate();
  }

  #open(): Worker {
    // In the same folder in a checkout and when built.
    const file = new URL(`./thread/history-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { workerData: this.#data });
    thread.on('message', (response: HistoryResponse) => this.#receive(response));
    thread.on('error', (error) => this.#lose(error.message));
    thread.on('exit', () => {
      if (this.#thread === thread) this.#lose('The thread ended.');
    });
    // It closes with the service and keeps no process alive.
    thread.unref();
    return thread;
  }

  #receive(response: HistoryResponse): void {
    if ('removed' in response) return this.#reports.onRemoved(response.removed);
    if ('batch' in response) {
      const batch = this.#batches.get(response.batch);
      this.#batches.delete(response.batch);
      if (response.error !== undefined) this.#reports.onLost(response.error, batch?.events ?? []);
      batch?.resolve();
    } else {
      const waiting = this.#calls.get(response.call);
      this.#calls.delete(response.call);
      if ('error' in response) waiting?.reject(unavailable(response.error.message));
      else waiting?.resolve(response.result);
    }
    this.#restLater();
  }

  #lose(reason: string): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
    for (const { reject } of this.#calls.values()) reject(unavailable(reason));
    const lost = [...this.#batches.values()];
    this.#batches.clear();
    if (lost.length > 0)
      this.#reports.onLost(
        reason,
        lost.flatMap(({ events }) => events),
      );
    for (const { resolve } of lost) resolve();
  }
}

function unavailable(cause?: unknown): ServiceError {
  return new ServiceError('history_unavailable', 'The run history cannot be read.', {
    ...(cause === undefined ? {} : { cause }),
  });
}
