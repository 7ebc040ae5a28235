import type { ServerResponse } from 'node:http';
import { roomToWrite } from './streamed-response.ts';

/** One server-sent event. `data` is JSON text. */
export interface SseEvent {
  id?: number;
  name: string;
  data: string;
  /** Sent in a comment before it, which readers ignore (WHATWG HTML, 9.2.6). */
  at?: number | undefined;
}

/** The writing end of an event stream. Writes resolve when the reader can take more. */
export interface SseWriter {
  event(event: SseEvent): Promise<void>;
  comment(text: string): Promise<void>;
  end(): void;
}

/** Decisions: "keep-alive". */
export const HEARTBEAT_MS = 10_000;

/**
 * Begins an event stream. Nothing is written once the reader is gone, and a heartbeat is sent after every `heartbeatMs`
 * of silence. The reader's end is detected by `close` of the response, because a POST whose body was read has already
 * ended as a request.
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

/** Inside the event's block: a reader that knows this comment has the time before the event. */
function timeLine(at: number | undefined): string {
  return at === undefined ? '' : `: at ${new Date(at).toISOString()}\n`;
}

/** Line breaks in JSON occur only between tokens, so each line may become its own `data` line. */
function dataLines(data: string): string {
  if (!data.includes('\n') && !data.includes('\r')) return `data: ${data}\n`;
  return data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
}
