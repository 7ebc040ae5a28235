import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import type * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import { cutOff, damaged, noBundle, readFailure, tooMany } from './bundle-failures.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  endSchema,
  headerSchema,
  isKnownKind,
  recordSchemas,
  type BundleHeader,
  type BundleRecord,
} from './bundle-record.ts';
import { countJsonValues } from './json-values.ts';
import { splitLines, type Line } from './lines.ts';

/** A checkpoint of the platform's ceiling is some 90 MiB as a line; what is longer did not come from a writer. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** The header is a few names: what has no line end for longer is no bundle, and is not gathered to find that out. */
const MAX_HEADER_BYTES = 64 * 1024;

/** One line of a bundle that this version knows. */
export type BundleItem =
  | { kind: 'header'; line: number; header: BundleHeader }
  | { kind: 'record'; line: number; record: BundleRecord };

export interface ReadOptions {
  /** Told once for each kind of record that is skipped. */
  onWarning?: (sentence: string) => void;
  maxLineBytes?: number;
  /** JSON values of all lines together; more is `payload_too_large`. Absent: any number. */
  maxValues?: number;
  /** What it may have unpacked; more is `payload_too_large`. Absent: any size. */
  maxUnpackedBytes?: number;
  /** How sentences call it. Absent: by its path. */
  name?: string;
  signal?: AbortSignal;
}

/**
 * Reads a bundle line by line, the header first. Rejects with `bundle_invalid` and a sentence that names the line
 * where it is cut off, damaged or not understood; only when it ends without, it was whole.
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

/** The records of a bundle, with what `readBundleFile` promises. */
export async function* readBundleRecords(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<BundleRecord> {
  for await (const item of readBundleFile(path, options)) {
    if (item.kind === 'record') yield item.record;
  }
}

/** Passes chunks on until they are more than a bundle may have that is imported over HTTP. */
export async function* limitBundle(
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

/** The items of an unpacked bundle; `name` stands in sentences. */
export async function* decodeBundle(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  options: ReadOptions = {},
): AsyncGenerator<BundleItem> {
  const state: DecodeState = { hash: createHash('sha256'), counts: {}, isEnded: false, lines: 0 };
  const skipped = new Set<string>();
  const { maxLineBytes = MAX_LINE_BYTES, maxValues = Infinity } = options;
  const limitOf = (line: number): number => (line === 1 ? MAX_HEADER_BYTES : maxLineBytes);
  let values = 0;
  try {
    for await (const line of splitLines(chunks, limitOf)) {
      if (state.isEnded) throw damaged(name, line.number, 'nothing may follow the end');
      if (maxValues < Infinity) values += countJsonValues(line.bytes);
      if (values > maxValues) throw tooMany(name, line.number, maxValues);
      const item = decodeLine(line, name, state);
      state.lines = line.number;
      if (typeof item !== 'string') {
        if (item) yield item;
      } else if (!skipped.has(item)) {
        skipped.add(item);
        options.onWarning?.(
          `${name} has records of the kind "${item}", which this version does not know: left out.`,
        );
      }
    }
  } catch (error) {
    throw readFailure(error, name, state.lines);
  }
  if (!state.isEnded) throw cutOff(name, state.lines);
}

interface DecodeState {
  hash: ReturnType<typeof createHash>;
  counts: Record<string, number>;
  isEnded: boolean;
  /** Lines read so far. */
  lines: number;
}

/** The line's item; the kind of a line that is not known; undefined for the end. */
function decodeLine(line: Line, name: string, state: DecodeState): BundleItem | string | undefined {
  const { number } = line;
  const value = parseLine(line, name);
  if (number === 1) {
    state.hash.update(line.bytes).update('\n');
    return { kind: 'header', line: number, header: checkHeader(value, name) };
  }
  const kind: unknown = value['kind'];
  if (kind === 'end') {
    const end = validate(endSchema, value, name, number);
    if (state.hash.digest('hex') !== end.sha256 || !isSameCount(state.counts, end.counts)) {
      const message = `${name} is damaged: its ${number - 1} lines do not fit its checksum.`;
      throw new ServiceError('bundle_invalid', message, { details: { line: number } });
    }
    state.isEnded = true;
    return undefined;
  }
  if (typeof kind !== 'string') throw damaged(name, number, 'it has no kind');
  // The last line that a cut leaves may be whole by chance; its end is not.
  if (!line.isComplete) throw cutOff(name, number - 1);
  state.hash.update(line.bytes).update('\n');
  state.counts[kind] = (state.counts[kind] ?? 0) + 1;
  if (!isKnownKind(kind)) return kind;
  // The schema is the one of the kind, which TypeScript does not follow through the index.
  const record = validate<BundleRecord>(
    recordSchemas[kind] as z.ZodType<BundleRecord>,
    value,
    name,
    number,
  );
  return { kind: 'record', line: number, record };
}

function parseLine({ number, bytes, isComplete }: Line, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    if (!isComplete) throw cutOff(name, number - 1);
    if (number === 1) throw noBundle(name);
    throw damaged(name, number, 'it is not JSON', cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>; // an object that JSON.parse made
  }
  if (number === 1) throw noBundle(name);
  throw damaged(name, number, 'it is not an object');
}

function checkHeader(value: Record<string, unknown>, name: string): BundleHeader {
  if (value['kind'] !== 'header' || value['format'] !== BUNDLE_FORMAT) throw noBundle(name);
  const version = value['version'];
  if (typeof version === 'number' && version > BUNDLE_VERSION) {
    const message = `${name} is a bundle of version ${version}, and this version of Agent Runtime reads up to version ${BUNDLE_VERSION}: update it.`;
    throw new ServiceError('bundle_invalid', message, { details: { version } });
  }
  return validate(headerSchema, value, name, 1);
}

function validate<T>(schema: z.ZodType<T>, value: unknown, name: string, line: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damaged(name, line, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`);
}

function isSameCount(a: Record<string, number>, b: Record<string, number>): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}
