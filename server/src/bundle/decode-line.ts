import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import { isObject } from '../model/json.ts';
import { cutOff, damaged, noBundle } from './bundle-failures.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleHeader,
  type CheckedRecord,
  endSchema,
  headerSchema,
  isKnownKind,
  recordSchemas,
} from './bundle-record.ts';
import { type Line, printable } from './lines.ts';

/** One line of a bundle that this version knows. */
export type BundleItem =
  | { kind: 'header'; line: number; header: BundleHeader }
  | { kind: 'record'; line: number; record: CheckedRecord };

/** What is known of the lines so far. */
export interface DecodeState {
  hash: ReturnType<typeof createHash>;
  counts: Map<string, number>;
  isEnded: boolean;
  /** Lines read so far. */
  lines: number;
}

/** What a sentence says of a line at most: names in it are anybody's. */
const REASON_LENGTH = 300;

/** Before the first line. */
export function decodeState(): DecodeState {
  return { hash: createHash('sha256'), counts: new Map(), isEnded: false, lines: 0 };
}

/**
 * The line's item; the kind of a line that is not known; undefined for the end, to which the hash of all lines before
 * has to be known.
 */
export function decodeLine(
  line: Line,
  name: string,
  state: DecodeState,
): BundleItem | string | undefined {
  const { number } = line;
  const value = parseLine(line, name);
  if (number === 1) {
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
  if (typeof kind !== 'string' || kind.length > KIND_LENGTH) {
    throw damaged(name, number, 'it has no kind');
  }
  // The last line that a cut leaves may be whole by chance; its end is not.
  if (!line.isComplete) throw cutOff(name, number - 1);
  state.counts.set(kind, (state.counts.get(kind) ?? 0) + 1);
  if (state.counts.size > KINDS) throw damaged(name, number, `there are more than ${KINDS} kinds`);
  if (!isKnownKind(kind)) return kind;
  // The schema is the one of the kind, which TypeScript does not follow through the index.
  const schema = recordSchemas[kind] as unknown as z.ZodType<CheckedRecord>;
  return { kind: 'record', line: number, record: validate(schema, value, name, number) };
}

/** Of lines, and of their names. */
const KINDS = 100;
const KIND_LENGTH = 100;

function parseLine({ number, bytes, isComplete }: Line, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    if (!isComplete) throw cutOff(name, number - 1);
    if (number === 1) throw noBundle(name);
    throw damaged(name, number, 'it is not JSON', cause);
  }
  if (isObject(value)) return value;
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
  const place = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  const reason = `${place}${issue?.message ?? 'is wrong'}`;
  throw damaged(name, line, printable(reason).slice(0, REASON_LENGTH));
}

function isSameCount(a: ReadonlyMap<string, number>, b: Record<string, number>): boolean {
  const kinds = Object.keys(b);
  return kinds.length === a.size && kinds.every((kind) => a.get(kind) === b[kind]);
}
