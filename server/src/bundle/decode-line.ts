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

/** One line of a bundle of a kind that this version supports. */
export type BundleItem =
  | { kind: 'header'; line: number; header: BundleHeader }
  | { kind: 'record'; line: number; record: CheckedRecord };

/** The state of decoding after the lines so far. */
export interface DecodeState {
  hash: ReturnType<typeof createHash>;
  counts: Map<string, number>;
  isEnded: boolean;
  /** Number of lines read so far. */
  lines: number;
}

/** Maximum length of the reason in a message: names in it are untrusted. */
const REASON_LENGTH = 300;

/** The state before the first line. */
export function decodeState(): DecodeState {
  return { hash: createHash('sha256'), counts: new Map(), isEnded: false, lines: 0 };
}

/**
 * The line's item; for an unknown kind, the kind; undefined for the end, which is checked against the hash of all lines
 * before it.
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
  // A file may be cut after a complete JSON line; without a line end the line still counts as cut off.
  if (!line.isComplete) throw cutOff(name, number - 1);
  state.counts.set(kind, (state.counts.get(kind) ?? 0) + 1);
  if (state.counts.size > KINDS) throw damaged(name, number, `there are more than ${KINDS} kinds`);
  if (!isKnownKind(kind)) return kind;
  // The schema belongs to the kind, which TypeScript does not infer through the index.
  const schema = recordSchemas[kind] as unknown as z.ZodType<CheckedRecord>;
  return { kind: 'record', line: number, record: validate(schema, value, name, number) };
}

/** Maximum number of kinds in a file, and maximum length of their names. */
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
  const member = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  const reason = `${member}${issue?.message ?? 'is wrong'}`;
  throw damaged(name, line, printable(reason).slice(0, REASON_LENGTH));
}

function isSameCount(a: ReadonlyMap<string, number>, b: Record<string, number>): boolean {
  const kinds = Object.keys(b);
  return kinds.length === a.size && kinds.every((kind) => a.get(kind) === b[kind]);
}
