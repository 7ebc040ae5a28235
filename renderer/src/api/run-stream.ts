import { request } from './client.ts';
import type { RunStream } from './run-event-stream.ts';
import { createRunStream } from './run-event-stream.ts';
import { windowStreams } from './window-streams.ts';

export type { RunStream, RunStreamSnapshot } from './run-event-stream.ts';
export type { RunEventLog, RunStreamEvent } from './run-event-log.ts';

export interface OpenRunStream {
  /** Known from the composite id where it is not given. */
  readonly threadId?: string | undefined;
  readonly runId: string;
  /** Which chunks; all that the run streams where it is not given. */
  readonly modes?: readonly string[] | undefined;
  readonly subgraphs: boolean;
  readonly lastEventId?: number | undefined;
}

const uuidLength = 36;
/** Hidden windows draw no frames, but their counts continue. */
const hiddenMs = 250;

function nextFrame(deliver: () => void): void {
  if (document.hidden) setTimeout(deliver, hiddenMs);
  else requestAnimationFrame(deliver);
}

/** Follows a run from its first retained event, or after `lastEventId`, until its end or `close()`. */
export function openRunStream(options: OpenRunStream): RunStream {
  const { runId, modes = [], subgraphs, lastEventId } = options;
  const threadId = options.threadId ?? runId.slice(0, -uuidLength - 1);
  const query = new URLSearchParams([
    ['event_times', 'true'],
    ...modes.map((mode) => ['stream_mode', mode]),
  ]);
  const path = `/threads/${encodeURIComponent(threadId)}/runs/${encodeURIComponent(runId)}/stream`;
  return createRunStream(
    {
      path: `${path as `/${string}`}?${query.toString()}`,
      subgraphs,
      lastEventId,
    },
    { connect: request, schedule: nextFrame, slots: windowStreams },
  );
}
