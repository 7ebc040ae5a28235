import { ServiceError } from '../errors/service-error.ts';
import { isObject } from '../model/json.ts';
import type { RunStart } from '../model/run/run.ts';
import type { ServedAgent, AgentDescriptionPort } from './ports.ts';

/** Time limit for getting the agent's schema, which is cached after the first request. */
const SCHEMA_WAIT_MS = 10_000;

/**
 * Refuses an input that is not an object where the agent's input schema requires one (Spec: Run create request fields).
 * Graphs with another schema, mainly entrypoints, accept what it describes. If the agent's schema is not available, the
 * run is created, and fails itself on a wrong input.
 */
export async function requireTakenInput(
  descriptions: AgentDescriptionPort,
  agent: ServedAgent,
  start: RunStart,
): Promise<void> {
  // The text of a body's member starts with its value, without white space.
  if (start.kind !== 'input' || start.json.startsWith('{') || agent.error !== undefined) return;
  if (!(await wantsObject(descriptions, agent))) return;
  const message = `input must be an object: the input schema of the agent ${agent.agentId} is one`;
  throw new ServiceError('invalid_request', message, {
    details: { issues: [{ path: 'input', message }] },
  });
}

/** Whether a JSON schema, or the definition that it refers to, describes an object. */
function isObjectSchema(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, $ref, $defs } = schema;
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined;
  const target = name === undefined || !isObject($defs) ? undefined : $defs[name];
  return type === 'object' || (isObject(target) && target['type'] === 'object');
}

async function wantsObject(
  descriptions: AgentDescriptionPort,
  agent: ServedAgent,
): Promise<boolean> {
  const signal = AbortSignal.timeout(SCHEMA_WAIT_MS);
  try {
    const { inputSchema } = await descriptions.describeAgent(
      agent.agentId,
      { schemas: true },
      signal,
    );
    return inputSchema !== undefined && isObjectSchema(JSON.parse(inputSchema));
  } catch {
    return false;
  }
}
