/** Schemas for the members of a bundle's lines. Each has bounds, since the file is untrusted input. */
import * as z from 'zod';
import { BUNDLE_TIME_MS } from '../model/limits/bundle-limits.ts';
import { isObject } from '../model/json.ts';
import { PLATFORM_CHECKPOINT_BYTES } from '../model/limits/limits.ts';

const MIB = 1024 * 1024;

/** Maximum characters of names, such as those of nodes, channels and agents. */
const NAME_LENGTH = 1_000;

/** Maximum characters of the guests' projections and events: some are longer than the value that they represent. */
const PROJECTION_LENGTH = 64 * MIB;

/** Maximum characters of a payload in base64. */
const BASE64_LENGTH = Math.ceil(PLATFORM_CHECKPOINT_BYTES / 3) * 4;

/** Maximum characters of a date as ISO 8601. */
const INSTANT_LENGTH = 64;

/** Text of at most `max` characters. */
export function text(max: number) {
  const error = `must be text of at most ${max} characters`;
  return z.string({ error }).max(max, { error, abort: true });
}

/** A name of bounded length. */
export const name = text(NAME_LENGTH);

/** A JSON text of the service: its syntax is checked in slices (check-texts.ts). */
export const json = text(PLATFORM_CHECKPOINT_BYTES);

/** A JSON text that a guest made for readers of the API. */
export const projection = text(PROJECTION_LENGTH);

/** Bytes of a guest's serialiser. The base64 is checked in slices as well. */
export const typed = z.strictObject({ tag: text(100), base64: text(BASE64_LENGTH) });

/** An integer between two bounds. */
export function integer({
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
}: { min?: number; max?: number } = {}) {
  const error = `must be an integer from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A number between two bounds. */
export function decimal({ min, max }: { min: number; max: number }) {
  const error = `must be a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

/** Milliseconds since 1970, up to a date that every calendar can represent. */
export const time = integer({ max: BUNDLE_TIME_MS });

/** A timestamp as ISO 8601. */
export const instant = text(INSTANT_LENGTH).refine(
  (value) => {
    const at = Date.parse(value);
    return at >= 0 && at <= BUNDLE_TIME_MS;
  },
  { error: 'must be a date as ISO 8601' },
);

/** An id, parsed into its branded type. */
export function idOf<Id extends string>(parse: (value: string) => Id | undefined, what: string) {
  const error = `is no ${what}`;
  return z.string({ error }).transform((value, context): Id => {
    const id = parse(value);
    if (id !== undefined) return id;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}

/** A list, which is checked up to the first wrong item: a million wrong items cost no more than one. */
export function listOf<Item extends z.ZodType>(item: Item, max: number) {
  const error = `must be a list of at most ${max}`;
  const isList = (value: unknown): boolean => Array.isArray(value) && value.length <= max;
  return z.custom<z.input<Item>[]>(isList, { error, abort: true }).transform((list, context) => {
    const items: z.output<Item>[] = [];
    for (const [index, value] of list.entries()) {
      const parsed = item.safeParse(value);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const path = [index, ...(issue?.path ?? [])];
        context.addIssue({ code: 'custom', message: issue?.message ?? 'is wrong', path });
        return z.NEVER;
      }
      items.push(parsed.data);
    }
    return items;
  });
}

/** An object that maps names to ids. */
export function namesOf<Id extends string>(
  parse: (value: string) => Id | undefined,
  { what, max }: { what: string; max: number },
) {
  const error = `must be an object of at most ${max} names, each with a ${what}`;
  const isId = (value: unknown): boolean => typeof value === 'string' && parse(value) !== undefined;
  const areNames = (value: unknown): boolean => {
    if (!isObject(value)) return false;
    const names = Object.keys(value);
    if (names.length > max) return false;
    return names.every((key) => key.length <= NAME_LENGTH && isId(value[key]));
  };
  return z
    .custom<Record<string, string>>(areNames, { error, abort: true })
    .transform((value) => value as Record<string, Id>); // `areNames` parsed each value
}

/** An object that the service does not inspect. The line limits its depth and its number of values. */
export const anObject = z.custom<Record<string, unknown>>(isObject, { error: 'must be an object' });

/** Metadata with the API's limit for its size as JSON. */
export function metadataOf<Value>(isValue: (value: unknown) => boolean, maxBytes: number) {
  const error = `must be an object of at most ${maxBytes} bytes as JSON`;
  return z.custom<Record<string, Value>>(
    (value) => isObject(value) && Object.values(value).every(isValue) && sizeOf(value) <= maxBytes,
    { error },
  );
}

function sizeOf(value: Record<string, unknown>): number {
  return Buffer.byteLength(JSON.stringify(value));
}
