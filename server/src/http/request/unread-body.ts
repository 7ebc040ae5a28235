import type { IncomingMessage } from 'node:http';
import { UNREAD_BODY_BYTES, UNREAD_BODY_MS } from '../../model/limits/http-limits.ts';

/**
 * Takes what a client still sends of a body that nobody wants, and drops it: until the body or the connection has
 * ended, up to a limit. A connection that is closed on unread bytes is reset, and many clients then lose the answer.
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
