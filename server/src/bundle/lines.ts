import { ServiceError } from '../errors/service-error.ts';

const NEWLINE = 0x0a;

/** One line without its end. `isComplete`: a line end followed it. */
export interface Line {
  number: number;
  bytes: Uint8Array;
  isComplete: boolean;
}

/** Cuts chunks into lines, holding one line at a time. A line above its limit is `bundle_invalid`. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  limitOf: (line: number) => number,
): AsyncGenerator<Line> {
  let number = 1;
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.byteLength;
    if (length > limitOf(number)) {
      const message = `Line ${number} is longer than ${limitOf(number)} bytes.`;
      throw new ServiceError('bundle_invalid', message, { details: { line: number } });
    }
    pieces.push(piece);
  };
  const finish = (isComplete: boolean): Line => {
    const line = { number, bytes: Buffer.concat(pieces, length), isComplete };
    number += 1;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at));
      yield finish(true);
      start = at + 1;
    }
    if (start < chunk.byteLength) add(chunk.subarray(start));
  }
  if (length > 0) yield finish(false);
}
