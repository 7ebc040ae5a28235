import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors/service-error.ts';

/** How long a piece of work may block the rest of the process. */
const SLICE_MS = 10;

/** Splits long work into slices: the work calls `pause` between its pieces to let other work run. */
export class Slices {
  #began = performance.now();

  /** Resolves at once within a slice, otherwise after the event loop has run other work. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}

/**
 * Characters that a terminal or a log would not display literally: control and format characters (colours,
 * right-to-left text), line ends, lone surrogates.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Foreign text with all characters visible: a hidden one becomes `\u{1b}`. Long text is cut. */
export function printable(text: string, maxLength = Infinity): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return cut.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

const NEWLINE = 0x0a;

/** One line without its line end. `isComplete`: a line end followed it. */
export interface Line {
  number: number;
  bytes: Uint8Array;
  isComplete: boolean;
}

/** Splits chunks into lines, holding one line at a time. A line above its limit is `bundle_invalid`. */
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
