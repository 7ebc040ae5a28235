import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Chunk, End, InvokeEvent, InvokeRequest } from './wire.ts';

export type InvokeCall = ServerWritableStream<InvokeRequest, { events: InvokeEvent[] }>;

/** Events within this time share a message: a short run sends everything with its end. */
const gatherMs = 2;
/** A message holds many small events or one large one: the transport has its limit. */
const batchBytes = 1024 * 1024;

/** Sends a run's events, those that come at about the same time in one message. */
export interface RunEvents {
  /** Resolves when the next chunk may come: a reader that is slow must not fill our memory. */
  chunk(chunk: Chunk): Promise<void> | undefined;
  end(end: End): void;
}

/** Opens the events of one Invoke call. */
export function openRunEvents(call: InvokeCall): RunEvents {
  let waiting: InvokeEvent[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isFull = false;
  let hasEnded = false;
  call.on('drain', () => (isFull = false));

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    bytes = 0;
    if (!call.write({ events })) isFull = true;
  };

  const add = (event: InvokeEvent, size: number): void => {
    if (bytes + size > batchBytes) flush();
    waiting.push(event);
    bytes += size;
  };

  return {
    chunk(chunk) {
      if (hasEnded) return undefined; // code that outlives a stopped run still reports its calls
      add({ chunk }, chunk.json.length);
      timer ??= setTimeout(flush, gatherMs);
      if (!isFull || call.cancelled) return undefined;
      return new Promise((resolve) => {
        const go = (): void => {
          call.off('drain', go).off('cancelled', go);
          resolve();
        };
        call.on('drain', go).on('cancelled', go);
      });
    },
    end(end) {
      hasEnded = true;
      add({ end }, end.outputJson.length);
      flush();
      call.end();
    },
  };
}
