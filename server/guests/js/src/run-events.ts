import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Chunk, End, InvokeEvent, InvokeRequest } from './wire.ts';

export type InvokeCall = ServerWritableStream<InvokeRequest, { events: InvokeEvent[] }>;

/** Sends a run's events. Those that are ready in the same turn of the event loop travel in one message. */
export interface RunEvents {
  /** Resolves when the next chunk may come: a reader that is slow must not fill our memory. */
  chunk(chunk: Chunk): Promise<void> | undefined;
  end(end: End): void;
}

/** Opens the events of one Invoke call. */
export function openRunEvents(call: InvokeCall): RunEvents {
  let waiting: InvokeEvent[] = [];
  let isFlushPlanned = false;
  let isFull = false;
  call.on('drain', () => (isFull = false));

  const flush = (): void => {
    isFlushPlanned = false;
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    if (!call.write({ events })) isFull = true;
  };

  return {
    chunk(chunk) {
      waiting.push({ chunk });
      if (!isFlushPlanned) {
        isFlushPlanned = true;
        setImmediate(flush);
      }
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
      waiting.push({ end });
      flush();
      call.end();
    },
  };
}
