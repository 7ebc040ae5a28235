import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';

const objectSchema = z.record(z.string(), z.unknown());
const principalSchema = z.looseObject({ sub: z.string(), mroles: z.array(z.string()).optional() });

/** The claims of a principal file. */
export type PrincipalClaims = z.output<typeof principalSchema>;

function readText(path: string | number, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ServiceError('config_invalid', `${flag} names a file that cannot be read: ${path}`, {
      cause,
    });
  }
}

function parseObject<T>(text: string, schema: z.ZodType<T>, sentence: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError('config_invalid', sentence, { cause });
  }
}

/** The value of `--input`: a JSON object, `@file` or `-` for standard input. */
export function readAgentInput(value: string | undefined): Record<string, unknown> {
  if (value === undefined) return {};
  const standardInput = 0;
  let text = value;
  if (value === '-') text = readText(standardInput, '--input');
  else if (value.startsWith('@')) text = readText(value.slice(1), '--input');
  return parseObject(
    text,
    objectSchema,
    '--input takes a JSON object, @file or - for standard input.',
  );
}

/** The claims in `--principal-file`. */
export function readPrincipalFile(path: string): PrincipalClaims {
  const sentence = `--principal-file ${path} is not a JSON object with a string "sub" and a list "mroles".`;
  return parseObject(readText(path, '--principal-file'), principalSchema, sentence);
}
