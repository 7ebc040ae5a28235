import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { JsonPiece } from './json-writer.ts';

/**
 * Up to this size the body is buffered before the response begins: a failure until then gets a proper error response.
 */
const GATHERED_BYTES = 64 * 1_024;

/** Larger pieces are written in parts, so that the progress of a slow client can be measured. */
const PART_BYTES = 256 * 1_024;

/** A client that takes less than `PART_BYTES` in this time is disconnected, and the data read for it is released. */
export const STALL_LIMIT_MS = 60_000;

/**
 * Writes a JSON response as fast as the client takes it; the next piece is requested only after the previous one is
 * written. Rejects with the pieces' error: if the response has begun by then, the caller must destroy the connection,
 * so that no client takes half a document for a whole one. Resolves early when the client disconnects.
 */
export async function sendStreamedJson(
  res: ServerResponse,
  pieces: AsyncIterable<JsonPiece>,
  options: { stallLimitMs?: number; contentType?: string } = {},
): Promise<void> {
  const stallLimitMs = options.stallLimitMs ?? STALL_LIMIT_MS;
  res.setHeader('Content-Type', options.contentType ?? 'application/json; charset=utf-8');
  let gathered: Uint8Array[] = [];
  let bytes = 0;

  const write = async (part: Uint8Array): Promise<void> => {
    for (let at = 0; at < part.byteLength && !res.destroyed; at += PART_BYTES) {
      if (!res.write(part.subarray(at, at + PART_BYTES))) await drained(res, stallLimitMs);
    }
  };
  const flush = async (): Promise<void> => {
    const part = Buffer.concat(gathered);
    gathered = [];
    bytes = 0;
    await write(part);
  };

  for await (const piece of pieces) {
    if (res.destroyed) return;
    const part = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (bytes + part.byteLength > GATHERED_BYTES) await flush();
    if (part.byteLength > GATHERED_BYTES) {
      await write(part);
      continue;
    }
    gathered.push(part);
    bytes += part.byteLength;
  }
  if (res.destroyed) return;
  if (!res.headersSent) {
    res.setHeader('Content-Length', bytes);
    res.end(Buffer.concat(gathered));
    return;
  }
  await flush();
  res.end();
}

/** Resolves when the client has taken everything, or is gone; a client that stalls for `limitMs` is disconnected. */
export function drained(res: ServerResponse, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => res.destroy(), limitMs);
    const done = (): void => {
      clearTimeout(stalled);
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.once('drain', done);
    res.once('close', done);
  });
}

/** Resolves when the buffer is empty or the stream is closed. */
export function roomToWrite(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}
