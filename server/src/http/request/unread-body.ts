import type { IncomingMessage } from 'node:http';
import { UNREAD_BODY_BYTES, UNREAD_BODY_MS } from '../../model/limits/http-limits.ts';

/**
 * Reads and drops the rest of an unwanted body until the body or the connection has ended, up to a limit. Closing a
 * connection with unread bytes resets it, and many clients then lose the response.
 */
export function dropRest(
  body: IncomingMessage,
  { bytes = UNREAD_BODY_BYTES, ms = UNREAD_BODY_MS } = {},
): Promise<void> {
  if (body.complete || body.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let left = bytes;
    const done = (): void => {
      clearTimeout(timer);
      body.off('data', count);
      for (const event of ['end', 'close', 'error']) body.off(event, done);
      resolve();
    };
    const count = ({ byteLength }: Buffer): void => {
      left -= byteLength;
      if (left < 0) done();
    };
    const timer = setTimeout(done, ms);
    body.on('data', count);
    for (const event of ['end', 'close', 'error']) body.on(event, done);
    body.resume();
  });
}
