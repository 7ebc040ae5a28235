import * as z from 'zod';
import { errorTable, type ErrorCode } from '../errors/codes.ts';
import { ServiceError } from '../errors/service-error.ts';
import { readSseEvents, type SseEvent } from './sse-events.ts';

const runSchema = z.object({
  run_id: z.string(),
  status: z.string(),
  output: z.unknown().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), type: z.string().optional() })
    .optional(),
});
const errorSchema = z.object({ code: z.string(), message: z.string() });

/** A run as the API reports it. */
export type ReportedRun = z.output<typeof runSchema>;

/** The request body that creates a run. */
export interface RunBody {
  input: unknown;
  context?: Record<string, unknown>;
  agent_id?: string;
  stream_mode?: string[];
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

async function refused(response: Response): Promise<ServiceError> {
  const body = errorSchema.safeParse(await response.json().catch(() => undefined));
  const code = body.success && isErrorCode(body.data.code) ? body.data.code : 'internal';
  return new ServiceError(
    code,
    body.data?.message ?? `The service responded with ${response.status}.`,
  );
}

async function call(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.ok) return response;
  throw await refused(response);
}

function post(body: RunBody): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

async function readRun(response: Response): Promise<ReportedRun> {
  return runSchema.parse(await response.json());
}

/** Creates a stateless run and returns its id. */
export async function startRun(url: string, body: RunBody): Promise<string> {
  return (await readRun(await call(`${url}/runs`, post(body)))).run_id;
}

/** Waits until the run is settled, without a time limit. */
export async function awaitRun(url: string, runId: string): Promise<ReportedRun> {
  for (;;) {
    const response = await fetch(`${url}/runs/${runId}/wait`);
    if (response.ok) return readRun(response);
    const error = await refused(response);
    if (error.code !== 'wait_elapsed') throw error;
  }
}

/** Creates a stateless run and yields its events; the last one returns the final run. */
export async function streamRun(
  url: string,
  body: RunBody,
  readers: { onStarted: (runId: string) => void; onEvent: (event: SseEvent) => void },
): Promise<ReportedRun> {
  const { body: stream } = await call(`${url}/runs/stream`, post(body));
  let runId: string | undefined;
  if (stream !== null) {
    for await (const event of readSseEvents(stream)) {
      if (event.name === 'start') {
        runId = runSchema.parse(JSON.parse(event.data)).run_id;
        readers.onStarted(runId);
      }
      readers.onEvent(event);
    }
  }
  if (runId === undefined)
    throw new ServiceError('internal', 'The stream ended before the run began.');
  return awaitRun(url, runId);
}

/** Cancels the run. */
export async function cancelRun(url: string, runId: string): Promise<void> {
  await call(`${url}/runs/${runId}/cancel`, { method: 'POST' });
}
