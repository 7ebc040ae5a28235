import type { Writable } from 'node:stream';

/** Resolves when the buffer is empty or whoever reads is gone. */
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
