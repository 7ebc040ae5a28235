import { isRecord } from '../../../api/json-record.ts';

/** A JSON value while it is being edited. As text it is kept also when it is incomplete. */
export interface WrittenValue {
  /** The form's value; `text` is used instead when the JSON is edited. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly isText: boolean;
  readonly text: string;
}

/** A value that was sent, to be edited; a form shows objects alone. */
export function writtenOf(value: unknown): WrittenValue {
  const isObject = isRecord(value);
  return { value: isObject ? value : {}, isText: !isObject, text: pretty(value) };
}

/** The entered value, or why it is no JSON. */
export function valueIn({ isText, value, text }: WrittenValue): ReturnType<typeof jsonIn> {
  return isText ? jsonIn(text) : { value };
}

/** The value of a JSON text, or what is wrong with it. */
export function jsonIn(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}

/** The object of a JSON text; undefined when it has none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  const read = jsonIn(text);
  return 'value' in read && isRecord(read.value) ? read.value : undefined;
}

/** JSON formatted for reading and editing. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
