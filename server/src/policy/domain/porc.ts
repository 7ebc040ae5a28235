import * as z from 'zod';

import type { Json, JsonMembers } from '../../model/json.ts';
import {
  POLICY_INPUT_BYTES,
  POLICY_INPUT_DEPTH,
  POLICY_OPERATION_CHARACTERS,
  POLICY_RESOURCE_CHARACTERS,
} from '../../model/limits/policy-limits.ts';
import { isDeeperThan } from './annotation-value.ts';

/** A claim that lists names: a single name may be given without a list, and null means none. */
const names = z
  .union([z.string().transform((name) => [name]), z.array(z.string())])
  .nullish()
  .transform((list) => [...new Set(list ?? [])]);

const annotations = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((members) => members ?? {});

const principal = z.looseObject({
  sub: z.string().min(1),
  mrealm: z.string().nullish(),
  mclearance: z.string().nullish(),
  mroles: names,
  mgroups: names,
  scopes: names,
  mannotations: annotations,
});

const resourceId = z.string().max(POLICY_RESOURCE_CHARACTERS);

const resource = z.union([
  resourceId.transform((id) => ({ id })),
  z.strictObject({
    id: resourceId,
    owner: z.string().nullish(),
    group: z.string().nullish(),
    classification: z.string().nullish(),
    annotations,
  }),
]);

const porcSchema = z.strictObject({
  principal,
  operation: z.string().min(1).max(POLICY_OPERATION_CHARACTERS),
  resource,
  context: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((members) => members ?? {}),
});

/** Principal, operation, resource and context. Only readPorc makes it. */
export interface Porc {
  principal: JsonMembers & {
    sub: string;
    mroles: readonly string[];
    mgroups: readonly string[];
    scopes: readonly string[];
    mannotations: JsonMembers;
  };
  operation: string;
  resource: {
    id: string;
    owner?: string;
    group?: string;
    classification?: string;
    annotations?: JsonMembers;
  };
  context: JsonMembers;
}

/**
 * Reads a question. A value that is not JSON, too large, nested too deeply or of another shape is a problem: a
 * sentence. Members that are null count as absent, except for claims that this format does not define.
 */
export function readPorc(value: unknown): { porc: Porc } | { problem: string } {
  if (isDeeperThan(value, POLICY_INPUT_DEPTH)) {
    return { problem: `The PORC goes deeper than ${POLICY_INPUT_DEPTH} levels.` };
  }
  const text = jsonOf(value);
  if (text === undefined) return { problem: 'The PORC is no JSON.' };
  if (isTooLong(text)) return { problem: `The PORC has more than ${POLICY_INPUT_BYTES} bytes.` };
  const parsed = porcSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ['porc', ...(issue?.path ?? [])].join('.');
    return { problem: `The PORC is not one: ${path}: ${issue?.message}.` };
  }
  return { porc: porcOf(parsed.data) };
}

/** Whether a completed question is larger than the limit. */
export function isTooLarge(input: Json): boolean {
  return isTooLong(JSON.stringify(input));
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > POLICY_INPUT_BYTES;
}

/** Undefined for values that JSON cannot express, such as bigints. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function porcOf({ principal: who, resource: what, ...rest }: z.infer<typeof porcSchema>): Porc {
  const { mrealm, mclearance, ...claims } = who;
  const made = {
    ...rest,
    principal: { ...claims, ...withoutNulls({ mrealm, mclearance }) },
    resource: withoutNulls(what),
  };
  return made as unknown as Porc; // every value came out of JSON.parse
}

function withoutNulls(members: object): object {
  const kept = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept);
}
