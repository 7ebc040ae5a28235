import type { ServerResponse } from 'node:http';
import { compositeRunId } from '../../model/ids.ts';
import type { RunView } from '../../model/run/run.ts';
import type { RunEvent } from '../../streams/port.ts';
import type { Followed, RunFollower } from '../../threads/run-follower.ts';
import { asServiceError } from './error-handler.ts';
import { writeJson } from './json-writer.ts';
import { presentRun, presentRunStart } from './present.ts';
import type { SseWriter } from './sse.ts';
import { type RunStreamOptions, type RunWriter, streamRun } from './stream-run.ts';

/** The format of a run's events on one kind of stream (spec: Events). */
export interface StreamFormat {
  /** `raw`: the payload itself; `typed`: `{type, data}`. */
  chunks: 'raw' | 'typed';
  /** Whether `start` comes first. */
  hasStart: boolean;
}

/** GET /threads/{thread_id}/runs/{run_id}/stream */
export const threadStream: StreamFormat = { chunks: 'raw', hasStart: false };
/** GET /runs/{run_id}/stream */
export const runStream: StreamFormat = { chunks: 'typed', hasStart: false };
/** POST /runs/stream */
export const statelessStream: StreamFormat = { chunks: 'typed', hasStart: true };

export interface StreamedRun {
  run: RunView;
  after: number | 'now';
  /** Chunk types to send; undefined for all. */
  modes: ReadonlySet<string> | undefined;
  /** Whether a comment before each event gives its publication time. */
  hasTimes: boolean;
}

/** Responds with a run's events until its end, or until the signal fires; resolves with whether the end was reached. */
export async function streamRunEvents(
  res: ServerResponse,
  follower: RunFollower,
  format: StreamFormat,
  streamed: StreamedRun,
  options: RunStreamOptions,
): Promise<boolean> {
  const { run, after } = streamed;
  const location = `/runs/${compositeRunId(run.threadId, run.runUuid)}`;
  const headers = { 'Content-Location': location, Location: location };
  return await streamRun(
    res,
    follower,
    { run, after, headers },
    writerOf(format, streamed),
    options,
  );
}

function writerOf(format: StreamFormat, streamed: StreamedRun): RunWriter {
  return {
    async begin(sse) {
      if (!format.hasStart) return;
      await sse.event({ id: 0, name: 'start', data: writeJson(presentRunStart(streamed.run)) });
    },
    item: (sse, item) => writeItem(sse, format, streamed, item),
    failure: writeFailure,
    async endUnknown(sse) {
      // Spec: Events, done. `{}` if the final run lookup fails.
      if (format.chunks === 'typed') await sse.event({ name: 'done', data: '{}' });
    },
  };
}

async function writeItem(
  sse: SseWriter,
  format: StreamFormat,
  { modes, hasTimes }: Pick<StreamedRun, 'modes' | 'hasTimes'>,
  item: Followed,
): Promise<void> {
  const isAskedFor = (mode: string): boolean => modes === undefined || modes.has(mode);
  switch (item.kind) {
    case 'event':
      if (isAskedFor(item.event.mode)) await writeChunk(sse, format, item.event, hasTimes);
      return;
    case 'gap': {
      await sse.comment('gap');
      const values = { id: item.id, mode: 'values', ns: '', data: item.values };
      if (isAskedFor('values')) await writeChunk(sse, format, values, hasTimes);
      return;
    }
    case 'end':
      await writeEnd(sse, format, item, hasTimes);
      return;
  }
}

async function writeChunk(
  sse: SseWriter,
  format: StreamFormat,
  event: RunEvent,
  hasTimes: boolean,
): Promise<void> {
  const { id, data } = event;
  const at = hasTimes ? event.at : undefined;
  const name = event.ns === '' ? event.mode : `${event.mode}|${event.ns}`;
  const payload =
    format.chunks === 'raw' ? data : `{"type":${JSON.stringify(name)},"data":${data}}`;
  await sse.event({ id, name: oneLine(name), data: payload, at });
}

/** Decisions: "failure". The thread-scoped stream ends with `error`, the others send `done` after it. */
async function writeEnd(
  sse: SseWriter,
  format: StreamFormat,
  { id, run }: { id: number; run: RunView },
  hasTimes: boolean,
): Promise<void> {
  const at = hasTimes ? run.updatedAt : undefined;
  const { error } = run;
  let nextId = id + 1;
  if (run.status === 'error') {
    const message = error?.message ?? 'The run failed.';
    const data = JSON.stringify({ error: message, code: error?.code ?? 'agent_error' });
    await sse.event({ id: nextId, name: 'error', data, at });
    if (format.chunks === 'raw') return;
    nextId += 1;
  }
  const data = format.chunks === 'raw' ? '{}' : writeJson(presentRun(run));
  await sse.event({ id: nextId, name: 'done', data, at });
}

/** Reports that streaming itself failed; without an id, so that a reader can resume after the last event it has. */
export async function writeFailure(sse: SseWriter, error: unknown): Promise<void> {
  const { code, message } = asServiceError(error);
  await sse.event({ name: 'error', data: JSON.stringify({ error: message, code }) });
}

/** A node's name may contain line breaks; an event's name must be one line. */
function oneLine(name: string): string {
  return name.replaceAll(/[\r\n]/g, ' ');
}
