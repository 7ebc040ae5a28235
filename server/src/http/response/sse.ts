import type { ServerResponse } from 'node:http';
import { roomToWrite } from './streamed-response.ts';

/** One server-sent event. `data` is JSON text. */
export interface SseEvent {
  id?: number;
  name: string;
  data: string;
  /** Told in a comment before it, which readers ignore (WHATWG HTML, 9.2.6). */
  at?: number | undefined;
}

/** The open end of an event stream. Writes resolve when the reader can take more. */
export interface SseWriter {
  event(event: SseEvent): Promise<void>;
  comment(text: string): Promise<void>;
  end(): void;
}

/** Decisions: "keep-alive". */
export const HEARTBEAT_MS = 10_000;

/**
 * Begins an event stream. Nothing is written once the reader is gone, and a heartbeat follows every
 * `heartbeatMs` of silence. The end of the reader is seen on `close` of the response: the end of the
 * request is long over for a POST whose body was read.
 */
export function openSse(
  res: ServerResponse,
  options: { headers: Record<string, string>; heartbeatMs?: number },
): SseWriter {
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
  res.socket?.setNoDelay(true);
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
    ...options.headers,
  });
  res.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!res.writableNeedDrain) res.write(': heartbeat\n\n');
  }, heartbeatMs);
  res.once('close', () => clearInterval(heartbeat));

  async function write(text: string): Promise<void> {
    if (res.destroyed || res.writableEnded) return;
    heartbeat.refresh();
    if (!res.write(text)) await roomToWrite(res);
  }

  return {
    event: ({ id, name, data, at }) =>
      write(
        `${timeLine(at)}${id === undefined ? '' : `id: ${id}\n`}event: ${name}\n${dataLines(data)}\n`,
      ),
    comment: (text) => write(`: ${text}\n\n`),
    end() {
      clearInterval(heartbeat);
      res.end();
    },
  };
}

/** Within the block of its event: a reader that knows of it has it before the event. */
function timeLine(at: number | undefined): string {
  return at === undefined ? '' : `: at ${new Date(at).toISOString()}\n`;
}

/** Line breaks in JSON stand between tokens only, so each line may be a line of its own. */
function dataLines(data: string): string {
  if (!data.includes('\n') && !data.includes('\r')) return `data: ${data}\n`;
  return data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
}
