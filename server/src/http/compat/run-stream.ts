import type { ServerResponse } from 'node:http';
import { toJsonText } from '../../model/json.ts';
import type { RunView } from '../../model/run/run.ts';
import type { Followed, RunFollower } from '../../threads/run-follower.ts';
import { asServiceError } from '../response/error-handler.ts';
import { writeJson } from '../response/json-writer.ts';
import type { SseWriter } from '../response/sse.ts';
import {
  type RunStreamOptions,
  type RunWriter,
  streamRun,
  writeRun,
} from '../response/stream-run.ts';
import { runLocations, shownError } from './present-run.ts';
import type { CompatMode } from './run-body.ts';
import { openTranslation, type Translation } from './stream-translation.ts';

/** A reader of a run. */
export interface CompatReader {
  run: RunView;
  /** The id of the last event that it has; 0: `metadata`, NO_EVENT: none. */
  after: number;
  modes: ReadonlySet<CompatMode> | undefined;
  /** The run is of an agent in JavaScript. */
  isJavaScript: boolean;
  /** Instead of those that name the run to LangGraph's clients. */
  headers?: Record<string, string>;
}

/** The reader has nothing: not even `metadata`, whose id is 0. */
export const NO_EVENT = -1;

/** Responds with a run's events as LangGraph Server does, until its end; resolves with whether the end was reached. */
export async function streamCompatRun(
  res: ServerResponse,
  follower: RunFollower,
  reader: CompatReader,
  options: RunStreamOptions,
): Promise<boolean> {
  const { run, modes, headers } = reader;
  const asked = new URLSearchParams(
    [...(modes ?? [])].map((mode) => ['stream_mode', mode] as [string, string]),
  );
  // The JavaScript client resumes from this URL, without the parameters of its first request.
  const rest = asked.size === 0 ? '/stream' : `/stream?${asked.toString()}`;
  const named = headers ?? runLocations(run, rest);
  const stream = { run, after: readFrom(reader), headers: named };
  return await streamRun(res, follower, stream, compatWriter(reader), options);
}

/** Writes the events of one run on a stream that is open; resolves with whether its end was reached. */
export async function writeCompatRun(
  sse: SseWriter,
  follower: RunFollower,
  reader: CompatReader,
  signal: AbortSignal,
): Promise<boolean> {
  const stream = { run: reader.run, after: readFrom(reader) };
  return await writeRun(sse, follower, stream, compatWriter(reader), signal);
}

/** Messages are put together from their parts: a reader who comes back needs those before, too. */
function readFrom({ after, modes }: CompatReader): number {
  const isWholeNeeded = modes?.has('messages') === true && !modes.has('messages-tuple');
  return isWholeNeeded ? 0 : Math.max(0, after);
}

function compatWriter({ run, after, headers: _, ...translated }: CompatReader): RunWriter {
  const translate = openTranslation(translated);
  return {
    async begin(sse) {
      if (after !== NO_EVENT) return;
      const data = writeJson({ run_id: run.runUuid, attempt: run.attempt ?? 1 });
      await sse.event({ id: 0, name: 'metadata', data });
    },
    item: (sse, item) => writeItem(sse, translate, after, item),
    async failure(sse, error) {
      const { code, message } = asServiceError(error);
      await sse.event({ name: 'error', data: toJsonText({ error: code, message }) });
    },
  };
}

async function writeItem(
  sse: SseWriter,
  translate: Translation,
  after: number,
  item: Followed,
): Promise<void> {
  switch (item.kind) {
    case 'event':
      await writeChunk(sse, translate, after, item.event);
      return;
    case 'gap': {
      await sse.comment('gap');
      const values = { id: item.id, mode: 'values', ns: '', data: item.values };
      await writeChunk(sse, translate, after, values);
      return;
    }
    case 'end':
      await writeEnd(sse, item);
      return;
  }
}

/** One event may become several: only the last has the id, so that a reader that misses one gets all of them again. */
async function writeChunk(
  sse: SseWriter,
  translate: Translation,
  after: number,
  event: Parameters<Translation>[0],
): Promise<void> {
  const events = translate(event);
  if (event.id <= after) return;
  for (const [at, { name, data }] of events.entries()) {
    const isLast = at === events.length - 1;
    await sse.event({ ...(isLast && { id: event.id }), name, data });
  }
}

/** As in LangGraph Server, a stream that ended well has no event of its own. */
async function writeEnd(
  sse: SseWriter,
  { id, run }: Extract<Followed, { kind: 'end' }>,
): Promise<void> {
  if (run.status !== 'error') return;
  await sse.event({ id: id + 1, name: 'error', data: toJsonText(shownError(run)) });
}
