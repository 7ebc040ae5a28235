import type { ServerResponse } from 'node:http';
import { writeFailure } from './run-events.ts';
import { openSse, type SseWriter } from './sse.ts';

export interface ItemStreamOptions {
  signal: AbortSignal;
  heartbeatMs: number;
  onFailure: (error: unknown) => void;
  /** Counts streams that are open. */
  readers?: { inc(): void; dec(): void };
}

/** Responds with items as they arrive, each as `write` has it, until their end or until the signal fires. */
export async function streamItems<T>(
  res: ServerResponse,
  items: AsyncIterable<T>,
  write: (sse: SseWriter, item: T) => Promise<void>,
  { signal, heartbeatMs, onFailure, readers }: ItemStreamOptions,
): Promise<void> {
  const sse = openSse(res, { headers: {}, heartbeatMs });
  if (res.req.method === 'HEAD') {
    sse.end();
    return;
  }
  readers?.inc();
  try {
    for await (const item of items) await write(sse, item);
    if (signal.aborted) await writeFailure(sse, signal.reason);
  } catch (error) {
    onFailure(error);
    await writeFailure(sse, error);
  } finally {
    readers?.dec();
  }
  sse.end();
}
