// A bundle is gzip of lines of JSON (docs/bundle-format.md). They are read one by one: a file is untrusted.
import { Refusal } from '../../api/errors.ts';
import { isRecord, textOf } from '../../api/json-record.ts';

/** One line of the file. */
export interface BundleLine {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** A line, and its offset in the unpacked file. */
interface LocatedLine {
  readonly line: BundleLine;
  readonly beginsAt: number;
}

const mebibyte = 1024 * 1024;

/** BUNDLE_BODY_BYTES and BUNDLE_UNPACKED_BYTES of the server: what it accepts from a page. */
const maxFileBytes = 256 * mebibyte;
const maxUnpackedBytes = 512 * mebibyte;

const byCommand =
  'Inspect it with `service threads import --dry-run`, which accepts files of any size.';
const newline = 10;

/** The unpacked bytes; a Refusal when it is no gzip, cut off, or more than a service accepts from a page. */
export async function* unpack(file: File): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (file.size > maxFileBytes) {
    throw new Refusal(`The file is larger than ${maxFileBytes / mebibyte} MiB. ${byCommand}`);
  }
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        const sentence =
          size === 0
            ? 'The file is no bundle: it is not packed with gzip, or it is cut off.'
            : 'The file is cut off or damaged: it cannot be unpacked any further.';
        throw new Refusal(sentence, { cause });
      });
      if (done) return;
      size += value.length;
      if (size > maxUnpackedBytes) {
        const limit = `${maxUnpackedBytes / mebibyte} MiB`;
        throw new Refusal(`Unpacked, the file is larger than ${limit}. ${byCommand}`);
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // its failure has been reported
  }
}

/** The lines of these bytes; a Refusal at the first invalid one. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<LocatedLine> {
  const decoder = new TextDecoder();
  let text = '';
  let number = 1;
  let beginsAt = 0;
  let size = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
      text += decoder.decode(chunk.subarray(start, at), { stream: true });
      yield { line: parseLine(text, number), beginsAt };
      [text, number, start] = ['', number + 1, at + 1];
      beginsAt = size + start;
    }
    text += decoder.decode(chunk.subarray(start), { stream: true });
    size += chunk.length;
  }
  if (text !== '') throw new Refusal(`The file is cut off after line ${number - 1}.`);
}

function parseLine(text: string, number: number): BundleLine {
  try {
    const value: unknown = JSON.parse(text);
    const isLine = isRecord(value) && textOf(value, 'kind') !== undefined;
    if (isLine) return value as BundleLine; // just checked
  } catch {
    // Reported below.
  }
  throw new Refusal(`Line ${number} of the file is damaged.`);
}
