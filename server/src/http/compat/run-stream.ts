import type { ServerResponse } from 'node:http';
import { toJsonText } from '../../model/json.ts';
import type { RunView } from '../../model/run/run.ts';
import type { Followed, RunFollower } from '../../threads/run-follower.ts';
import { asServiceError } from '../response/error-handler.ts';
import { writeJson } from '../response/json-writer.ts';
import { openSse, type SseWriter } from '../response/sse.ts';
import { runLocations, shownError } from './present-run.ts';
import type { CompatMode } from './run-body.ts';
import { openTranslation, type Translation } from './stream-translation.ts';

/** A reader of a run. */
export interface CompatReader {
  run: RunView;
  /** The id of the last event that it has; 0: none. */
  after: number;
  modes: ReadonlySet<CompatMode> | undefined;
}

export interface CompatStreamOptions {
  signal: AbortSignal;
  heartbeatMs: number;
  onFailure: (error: unknown) => void;
}

/** Writes a run's events as LangGraph Server does, until its end; returns whether the end was reached. */
export async function streamCompatRun(
  res: ServerResponse,
  follower: RunFollower,
  reader: CompatReader,
  options: CompatStreamOptions,
): Promise<boolean> {
  const { run, modes } = reader;
  const asked = new URLSearchParams(
    [...(modes ?? [])].map((mode) => ['stream_mode', mode] as [string, string]),
  );
  // The JavaScript client resumes from this URL, without the parameters of its first request.
  const rest = asked.size === 0 ? '/stream' : `/stream?${asked.toString()}`;
  const headers = runLocations(run, rest);
  const sse = openSse(res, { headers, heartbeatMs: options.heartbeatMs });
  if (res.req.method === 'HEAD') {
    sse.end();
    return true;
  }
  try {
    return await writeRun(sse, follower, reader, options.signal);
  } catch (error) {
    options.onFailure(error);
    await writeFailure(sse, error);
    return false;
  } finally {
    sse.end();
  }
}

/** Writes the events of one run to an open stream; returns whether the run's end was reached. */
export async function writeRun(
  sse: SseWriter,
  follower: RunFollower,
  { run, after, modes }: CompatReader,
  signal: AbortSignal,
): Promise<boolean> {
  const translate = openTranslation(modes);
  // Messages are joined from their parts, so a resuming reader's translation also needs the earlier events.
  const isWholeNeeded = modes?.has('messages') === true && !modes.has('messages-tuple');
  let hasEnded = false;
  if (after === 0) {
    const data = writeJson({ run_id: run.runUuid, attempt: run.attempt ?? 1 });
    await sse.event({ name: 'metadata', data });
  }
  for await (const item of follower.follow(run, isWholeNeeded ? 0 : after, signal)) {
    await writeItem(sse, translate, after, item);
    hasEnded = item.kind === 'end';
  }
  if (!hasEnded && signal.aborted) await writeFailure(sse, signal.reason);
  return hasEnded;
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
  const told = translate(event);
  if (event.id <= after) return;
  for (const [at, { name, data }] of told.entries()) {
    const isLast = at === told.length - 1;
    await sse.event({ ...(isLast && { id: event.id }), name, data });
  }
}

async function writeEnd(
  sse: SseWriter,
  { id, run }: Extract<Followed, { kind: 'end' }>,
): Promise<void> {
  if (run.status === 'error') {
    await sse.event({ id: id + 1, name: 'error', data: toJsonText(shownError(run)) });
  } else {
    await sse.event({ id: id + 1, name: 'end', data: 'null' });
  }
}

/** Reports that streaming itself failed; without an id, so that a reader can resume after the last event it has. */
async function writeFailure(sse: SseWriter, error: unknown): Promise<void> {
  const { code, message } = asServiceError(error);
  await sse.event({ name: 'error', data: toJsonText({ error: code, message }) });
}
