import { Validator } from '@cfworker/json-schema';
import type { JsonSchema } from './schema-fields.ts';

export interface SchemaIssue {
  /** `order`, `address.city`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Messages about a combination of schemas add nothing to those about its parts. */
const combinations = new Set(['properties', 'items', 'oneOf', 'anyOf', 'allOf', '$ref', 'not']);

/**
 * A schema's issues with a value: advice, since LangGraph accepts more than schemas allow (messages as pairs or as
 * texts, for example). Interpreted, never compiled: the page's policy forbids `eval`.
 */
export function schemaIssues(schema: JsonSchema, value: unknown): readonly SchemaIssue[] {
  let errors;
  try {
    errors = new Validator(schema, '2020-12', false).validate(value).errors;
  } catch {
    return [];
  }
  return errors
    .filter(({ keyword }) => !combinations.has(keyword))
    .map(({ instanceLocation, error }) => ({
      path: pathOf(instanceLocation),
      message: inWords(error),
    }))
    .filter(({ path }) => !/^messages\b/.test(path));
}

/** The validator's messages are about instances; a form has fields. */
function inWords(error: string): string {
  const [, missing] = /^Instance does not have required property "(.*)"\.$/.exec(error) ?? [];
  if (missing !== undefined) return `${missing} is missing.`;
  const [, is, wanted] = /^Instance type "(.*)" is invalid. Expected "(.*)"\.$/.exec(error) ?? [];
  if (is !== undefined) return `is of type ${is}, expected is ${wanted}.`;
  const [, allowed] = /^Instance does not match any of \[(.*)\]\.$/.exec(error) ?? [];
  if (allowed !== undefined) return `is none of ${allowed.replaceAll(',', ', ')}.`;
  return error.replace(/^Instance /, 'It ');
}

function pathOf(pointer: string): string {
  return pointer
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
