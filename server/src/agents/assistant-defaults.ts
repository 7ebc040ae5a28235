import { isObject } from '../model/json.ts';
import type { AssistantDefaults, ManifestAgent } from './agent.ts';
import { manifestProblem } from './manifest-keys.ts';

/** The variable from which both of LangGraph's servers take config and context of the assistants of graphs. */
const VARIABLE = 'LANGGRAPH_CONFIG';
/** Names of LangGraph's machinery, which no config may have. */
const RESERVED = '__';

/**
 * The agents with what `LANGGRAPH_CONFIG` has for their assistants: a JSON object by agent, of configs with a `context`
 * among their members. Throws `manifest_invalid`, as LangGraph's servers do not start with another text.
 */
export function withAssistantDefaults<T extends readonly ManifestAgent[]>(
  agents: T,
  environment: Readonly<Record<string, string>>,
  file: string,
): T {
  const text = environment[VARIABLE];
  if (text === undefined || text === '') return agents;
  const wrong = (reason: string): Error => manifestProblem(file, `env.${VARIABLE}`, reason);
  const byAgent = parsed(text);
  if (!isObject(byAgent)) throw wrong('it is not a JSON object of configs by agent.');
  const ofAgents = agents.map((agent) => {
    if (!Object.hasOwn(byAgent, agent.agentId)) return agent;
    const given = byAgent[agent.agentId];
    if (!isObject(given)) throw wrong(`"${agent.agentId}" is not an object.`);
    const assistant = defaultsOf(given);
    if (assistant !== undefined) return { ...agent, assistant };
    throw wrong(
      `"context" and "configurable" of "${agent.agentId}" have to be objects, without names that begin with ${RESERVED}.`,
    );
  });
  return ofAgents as readonly ManifestAgent[] as T; // as many as before
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function defaultsOf(given: Record<string, unknown>): AssistantDefaults | undefined {
  const { context, ...config } = given;
  if (!isConfiguration(context) || !isConfiguration(config['configurable'])) return undefined;
  return { config, context: context ?? {} };
}

function isConfiguration(value: unknown): value is Record<string, unknown> | undefined {
  if (value === undefined) return true;
  return isObject(value) && Object.keys(value).every((name) => !name.startsWith(RESERVED));
}
