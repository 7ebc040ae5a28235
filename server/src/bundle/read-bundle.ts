import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../errors/service-error.ts';
import { BUNDLE_DEPTH } from '../model/limits/bundle-limits.ts';
import { cutOff, damaged, readFailure, tooMany } from './bundle-failures.ts';
import type { CheckedRecord } from './bundle-record.ts';
import { wrongText } from './check-texts.ts';
import { type BundleItem, decodeLine, decodeState } from './decode-line.ts';
import { scanJson } from '../model/json-cursor.ts';
import { LineOrder } from './line-order.ts';
import { printable, Slices, splitLines } from './lines.ts';

/** A checkpoint of the platform's ceiling is some 90 MiB as a line; no writer produces longer lines. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Bytes that are hashed at once: some milliseconds. */
const HASHED_BYTES = 1024 * 1024;

/** The header contains a few names: a first line that is longer is rejected without buffering all of it. */
const MAX_HEADER_BYTES = 64 * 1024;

export interface ReadOptions {
  /** Called once for each kind of record that is skipped. */
  onWarning?: (sentence: string) => void;
  maxLineBytes?: number;
  /** JSON values of all lines together; more is `payload_too_large`. Absent: any number. */
  maxValues?: number;
  /** The same limit for one line. */
  maxLineValues?: number;
  /** Maximum unpacked size; more is `payload_too_large`. Absent: any size. */
  maxUnpackedBytes?: number;
  /** The name of the bundle in messages. Absent: its path. */
  name?: string;
  signal?: AbortSignal;
}

/**
 * Reads a bundle line by line, the header first. Rejects with `bundle_invalid` and a sentence that names the line where
 * it is cut off, damaged or not understood; the bundle was complete only if reading ends without an error.
 */
export async function* readBundleFile(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<BundleItem> {
  const source = createReadStream(path, { ...(options.signal && { signal: options.signal }) });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  const { name = path, maxUnpackedBytes = Infinity } = options;
  try {
    const chunks = limitBundle(source.pipe(gunzip), maxUnpackedBytes, `${name}, unpacked,`);
    yield* decodeBundle(chunks, name, options);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** The records of a bundle, with the same checks as `readBundleFile`. */
export async function* readBundleRecords(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<CheckedRecord> {
  for await (const item of readBundleFile(path, options)) {
    if (item.kind === 'record') yield item.record;
  }
}

/** Passes chunks on until they exceed the unpacked size that is allowed for imports over HTTP. */
async function* limitBundle(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  name: string,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) {
      const message = `${name} is larger than ${limit} bytes: import it with the command "service threads import".`;
      throw new ServiceError('payload_too_large', message, { details: { limit } });
    }
    yield chunk;
  }
}

/**
 * The items of an unpacked bundle, each of them checked; `name` appears in messages. Yields to other work of this
 * process in between.
 */
export async function* decodeBundle(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  options: ReadOptions = {},
): AsyncGenerator<BundleItem> {
  const state = decodeState();
  const order = new LineOrder();
  const slices = new Slices();
  const skipped = new Set<string>();
  const { maxLineBytes = MAX_LINE_BYTES } = options;
  const limitOf = (line: number): number => (line === 1 ? MAX_HEADER_BYTES : maxLineBytes);
  const count = createCount(name, options);
  try {
    for await (const line of splitLines(chunks, limitOf)) {
      await slices.pause();
      const { number } = line;
      if (state.isEnded) throw damaged(name, number, 'nothing may follow the end');
      const { values, depth } = scanJson(line.bytes);
      count(number, values);
      if (depth > BUNDLE_DEPTH) {
        throw damaged(name, number, `it is nested deeper than ${BUNDLE_DEPTH} levels`);
      }
      await slices.pause();
      const item = decodeLine(line, name, state);
      state.lines = number;
      if (item !== undefined) await addToHash(state.hash, line.bytes, slices);
      if (typeof item === 'string') {
        if (!skipped.has(item)) options.onWarning?.(unknownKind(name, item));
        skipped.add(item);
        continue;
      }
      if (item?.kind === 'record') {
        const { record } = item;
        const texts = { slices, count: (held: number) => count(number, held) };
        const problem = order.problemOf(record) ?? (await wrongText(record, texts));
        if (problem !== undefined) throw damaged(name, number, problem);
      }
      if (item) yield item;
    }
  } catch (error) {
    throw readFailure(error, name, state.lines);
  }
  if (!state.isEnded) throw cutOff(name, state.lines);
}

/** Hashes a line with its line end; a long one in pieces. */
async function addToHash(hash: Hash, line: Uint8Array, slices: Slices): Promise<void> {
  for (let at = 0; at < line.byteLength; at += HASHED_BYTES) {
    hash.update(line.subarray(at, at + HASHED_BYTES));
    await slices.pause();
  }
  hash.update('\n');
}

/** Counts JSON values, up to the limit. */
function createCount(
  name: string,
  { maxValues = Infinity, maxLineValues = Infinity }: ReadOptions,
): (line: number, values: number) => void {
  let all = 0;
  let ofLine = 0;
  let current = 0;
  return (line, values) => {
    if (line !== current) ofLine = 0;
    current = line;
    all += values;
    ofLine += values;
    if (all > maxValues) throw tooMany(`${name} has`, line, maxValues);
    if (ofLine > maxLineValues) throw tooMany(`One line of ${name} has`, line, maxLineValues);
  };
}

function unknownKind(name: string, kind: string): string {
  return `${name} has records of the kind "${printable(kind)}", which this version does not know: left out.`;
}
