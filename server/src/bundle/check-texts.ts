/** Texts of a line with embedded content: JSON, or bytes in base64. They are checked one by one, in slices. */
import { BUNDLE_DEPTH, BUNDLE_TEXT_DEPTH } from '../model/limits/bundle-limits.ts';
import { isObject } from '../model/json.ts';
import { RESERVED_PREFIX, reservedName } from './request-record.ts';
import type { CheckedRecord } from './bundle-record.ts';
import { scanJson } from '../model/json-cursor.ts';
import type { Slices } from './lines.ts';

/** Whether a parsed text has the type that its readers expect. */
type Shape = (value: unknown) => boolean;

/** One text of a line; `name` is its name in messages. */
type HeldText =
  | { name: string; json: string; depth: number; isRight: Shape; wanted: string }
  | { name: string; base64: string };

/** The error of the first invalid text; undefined when all are valid. */
export async function wrongText(
  record: CheckedRecord,
  { slices, count }: { slices: Slices; count(values: number): void },
): Promise<string | undefined> {
  for (const held of textsOf(record)) {
    await slices.pause();
    const problem =
      'json' in held ? await wrongJson(held, { slices, count }) : wrongBase64(held.base64);
    if (problem !== undefined) return `${held.name}: ${problem}`;
  }
  return undefined;
}

async function wrongJson(
  { json, depth, isRight, wanted }: Extract<HeldText, { json: string }>,
  { slices, count }: { slices: Slices; count(values: number): void },
): Promise<string | undefined> {
  const size = scanJson(Buffer.from(json));
  count(size.values);
  await slices.pause();
  if (size.depth > depth) return `is nested deeper than ${depth} levels`;
  try {
    return isRight(JSON.parse(json)) ? undefined : `must be ${wanted} as JSON`;
  } catch {
    return 'is no JSON';
  }
}

/** The decoder skips invalid characters, so that fewer bytes result than expected. */
function wrongBase64(base64: string): string | undefined {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const isWhole = base64.length % 4 === 0;
  const bytes = (base64.length / 4) * 3 - padding;
  return isWhole && Buffer.from(base64, 'base64').length === bytes ? undefined : 'is no base64';
}

function* textsOf(record: CheckedRecord): Generator<HeldText> {
  switch (record.kind) {
    case 'thread':
      yield* jsonOf('questions', record.questions, questions);
      yield* jsonOf('context', record.context, contexts, BUNDLE_DEPTH);
      return;
    case 'run':
      yield* jsonOf('output', record.output, anything);
      yield* jsonOf('interrupts', record.interrupts, questions);
      yield* jsonOf('context', record.context, contexts, BUNDLE_DEPTH);
      if (record.request && record.request.start.kind !== 'proceed') {
        yield* jsonOf('request.start.json', record.request.start.json, anything, BUNDLE_DEPTH);
      }
      return;
    case 'checkpoint':
      yield { name: 'skeleton', base64: record.skeleton.base64 };
      yield { name: 'metadata', base64: record.metadata.base64 };
      yield* jsonOf('metadata_json', record.metadata_json, objects);
      for (const [index, write] of record.writes.entries()) {
        yield* valueOf(write, `writes.${index}.`);
      }
      return;
    case 'blob':
      yield* valueOf(record, '');
      return;
    case 'event':
      yield* jsonOf('data', record.data, anything);
      return;
    case 'agent':
    case 'gap':
    case 'log':
  }
}

function* valueOf(
  { channel, value, json }: { channel: string; value: { base64: string }; json?: string },
  prefix: string,
): Generator<HeldText> {
  yield { name: `${prefix}value`, base64: value.base64 };
  yield* jsonOf(`${prefix}json`, json, channel === '__interrupt__' ? questions : anything);
}

function* jsonOf(
  name: string,
  json: string | undefined,
  [isRight, wanted]: readonly [Shape, string],
  depth = BUNDLE_TEXT_DEPTH,
): Generator<HeldText> {
  if (json !== undefined) yield { name, json, isRight, wanted, depth };
}

const anything = [(): boolean => true, 'anything'] as const;
const objects = [isObject, 'an object'] as const;
const contexts = [
  (value: unknown): boolean => isObject(value) && reservedName(value) === undefined,
  `an object without names that begin with ${RESERVED_PREFIX}, which are LangGraph's own,`,
] as const;
const questions = [
  (value: unknown): boolean => Array.isArray(value) && value.every(isQuestion),
  'a list of questions',
] as const;

/** The maximum length of the id of a question: LangGraph's are hashes. */
const QUESTION_ID_LENGTH = 1_000;

function isQuestion(value: unknown): boolean {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' && id.length <= QUESTION_ID_LENGTH;
}
