import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Docker API, ContainerAttach: one byte for the stream, three zero bytes, the length of the payload. */
const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Splits the output of a container into its two streams, which it ends. It applies backpressure, so nothing is buffered
 * here, however much the agents write. Resolves at the end of the output, also after an error.
 */
export async function demultiplex(
  attached: Readable,
  outputs: { stdout: Writable; stderr: Writable },
): Promise<void> {
  let header = Buffer.alloc(0);
  let left = 0;
  let output = outputs.stdout;
  try {
    for await (const chunk of attached) {
      let rest = chunk as Buffer; // no encoding is set
      while (rest.length > 0) {
        if (left === 0) {
          const missing = HEADER_BYTES - header.length;
          header = Buffer.concat([header, rest.subarray(0, missing)]);
          rest = rest.subarray(missing);
          if (header.length < HEADER_BYTES) continue;
          output = header[0] === STDERR ? outputs.stderr : outputs.stdout;
          left = header.readUInt32BE(4);
          header = Buffer.alloc(0);
        }
        const part = rest.subarray(0, left);
        rest = rest.subarray(left);
        left -= part.length;
        if (part.length > 0 && !output.write(part)) await once(output, 'drain');
      }
    }
  } catch {
    // The daemon has exited, or the connection was closed.
  } finally {
    outputs.stdout.end();
    outputs.stderr.end();
  }
}
