/** The request of a run: the member `request` of unfinished runs. */
import * as z from 'zod';
import { parseAgentId, parseCheckpointId, parseCheckpointNs, parseRunUuid } from '../model/ids.ts';
import { isObject } from '../model/json.ts';
import { deriveLimits } from '../model/limits/limits.ts';
import type { PackedRun } from '../model/run/run.ts';
import { anObject, idOf, json, listOf, metadataOf, name, text } from './bundle-fields.ts';

/** The prefix of names that LangGraph reserves: `__pregel_send` and the like pass functions to a node. */
export const RESERVED_PREFIX = '__';

/** The first member of a run's `configurable` or context that only LangGraph may set. */
export function reservedName(given: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(given).find((name) => name.startsWith(RESERVED_PREFIX));
}

/** Maximum stream modes and node names that one run can request. */
const MODES = 100;
const NODES = 10_000;

const limits = deriveLimits({ maxCheckpointBytes: 0 });

/** A file must not contain what clients may not set: as `configurableObject` of the API's contract. */
function withoutReserved({ value, issues }: z.core.ParsePayload<Record<string, unknown>>): void {
  const { configurable } = value;
  const name = isObject(configurable) ? reservedName(configurable) : undefined;
  if (name === undefined) return;
  const message = `names that begin with ${RESERVED_PREFIX} are LangGraph's own`;
  issues.push({ code: 'custom', input: value, path: ['configurable', name], message });
}

/** The packed run, member by member: one that is missing here does not compile. */
export const requestSchema = z.strictObject({
  runUuid: idOf(parseRunUuid, 'uuid of a run'),
  agentId: idOf(parseAgentId, 'name of an agent'),
  start: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('input'), json }),
    z.strictObject({ kind: z.literal('command'), json }),
    z.strictObject({ kind: z.literal('proceed') }),
  ]),
  config: anObject.check(withoutReserved),
  metadata: metadataOf<unknown>(() => true, limits.runMetadata),
  principal: anObject,
  streamModes: listOf(text(200), MODES),
  streamSubgraphs: z.boolean(),
  interruptBefore: listOf(name, NODES),
  interruptAfter: listOf(name, NODES),
  durability: z.enum(['async', 'sync', 'exit']),
  checkpoint: z.exactOptional(
    z.strictObject({
      ns: idOf(parseCheckpointNs, 'checkpoint namespace'),
      id: idOf(parseCheckpointId, 'id of a checkpoint'),
    }),
  ),
  multitaskStrategy: z.exactOptional(z.enum(['reject', 'interrupt', 'rollback'])),
  agentVersion: z.exactOptional(text(200)),
  traceparent: z.exactOptional(text(200)),
} satisfies Record<keyof PackedRun, z.ZodType>);

export type RequestRecord = z.input<typeof requestSchema>;
