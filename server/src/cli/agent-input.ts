import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ServiceError } from '../errors/service-error.ts';

const principalSchema = z.looseObject({ sub: z.string(), mroles: z.array(z.string()).optional() });

const contextSchema = z.record(z.string(), z.unknown());

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

function parse<T>(text: string, schema: z.ZodType<T>, sentence: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError('config_invalid', sentence, { cause });
  }
}

/** The text of a value: itself, the content of `@file`, or standard input for `-`. */
export function textOf(value: string, flag: string): string {
  const standardInput = 0;
  if (value === '-') return readText(standardInput, flag);
  return value.startsWith('@') ? readText(value.slice(1), flag) : value;
}

/** The value of `--input`: any JSON, `{}` by default. */
function readInput(value: string): unknown {
  return parse(
    textOf(value, '--input'),
    z.unknown(),
    '--input takes JSON, @file or - for standard input; a text has its quotes: --input \'"text"\'.',
  );
}

/** The value of `--context`: a JSON object. */
function readContext(value: string): z.output<typeof contextSchema> {
  return parse(
    textOf(value, '--context'),
    contextSchema,
    '--context takes a JSON object, @file or - for standard input.',
  );
}

/** The input of the agent. */
export interface AgentInput {
  input: unknown;
  context?: z.output<typeof contextSchema>;
}

/** Reads `--input` and `--context`, each JSON, `@file` or `-`; only one of them can read standard input. */
export function readAgentInput(input = '{}', context?: string): AgentInput {
  if (input === '-' && context === '-') {
    throw new ServiceError(
      'config_invalid',
      '--input and --context cannot both be - (standard input); give one of them as JSON or @file.',
    );
  }
  return {
    input: readInput(input),
    ...(context === undefined ? {} : { context: readContext(context) }),
  };
}

/** The claims in `--principal-file`. */
export function readPrincipalFile(path: string): PrincipalClaims {
  const sentence = `--principal-file ${path} is not a JSON object with a string "sub" and a list "mroles".`;
  return parse(readText(path, '--principal-file'), principalSchema, sentence);
}
