/** The one way in which a run's events go to a client, whatever API it speaks. */
import type { ServerResponse } from 'node:http';
import type { RunView } from '../../model/run/run.ts';
import type { Followed, RunFollower } from '../../threads/run-follower.ts';
import { openSse, type SseWriter } from './sse.ts';

/** How an API writes what happens in a run. */
export interface RunWriter {
  /** Before the first event. */
  begin?(sse: SseWriter): Promise<void>;
  item(sse: SseWriter, item: Followed): Promise<void>;
  /** Streaming itself failed: without an id, so that a reader can resume after the last event it has. */
  failure(sse: SseWriter, error: unknown): Promise<void>;
  /** After a failure that leaves the end of the run unknown. */
  endUnknown?(sse: SseWriter): Promise<void>;
}

export interface RunStream {
  run: RunView;
  /** The last event that the client has; 0: none. */
  after: number | 'now';
  headers: Record<string, string>;
}

export interface RunStreamOptions {
  signal: AbortSignal;
  heartbeatMs: number;
  onFailure: (error: unknown) => void;
}

/** Responds with a run's events; resolves with whether its end was reached. A HEAD request gets the headers alone. */
export async function streamRun(
  res: ServerResponse,
  follower: RunFollower,
  { headers, ...stream }: RunStream,
  writer: RunWriter,
  { signal, heartbeatMs, onFailure }: RunStreamOptions,
): Promise<boolean> {
  const sse = openSse(res, { headers, heartbeatMs });
  try {
    return res.req.method === 'HEAD' || (await writeRun(sse, follower, stream, writer, signal));
  } catch (error) {
    onFailure(error);
    await writer.failure(sse, error);
    await writer.endUnknown?.(sse);
    return false;
  } finally {
    sse.end();
  }
}

/** Writes the events of one run on a stream that is open; resolves with whether its end was reached. */
export async function writeRun(
  sse: SseWriter,
  follower: RunFollower,
  { run, after }: Omit<RunStream, 'headers'>,
  writer: RunWriter,
  signal: AbortSignal,
): Promise<boolean> {
  let hasEnded = false;
  await writer.begin?.(sse);
  for await (const item of follower.follow(run, after, signal)) {
    await writer.item(sse, item);
    hasEnded = item.kind === 'end';
  }
  if (!hasEnded && signal.aborted) await writer.failure(sse, signal.reason);
  return hasEnded;
}
