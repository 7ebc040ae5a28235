import type { Assistant, AssistantVersion } from '../../assistants/port.ts';
import { assistantIdOf, langGraphIds } from '../../model/agent-description.ts';
import { type JsonText, toJsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { AssistantService } from '../../threads/assistant-service.ts';
import type { AgentsPort, ServedAgent } from '../../threads/ports.ts';
import { isoTime } from '../response/iso-time.ts';
import type { RunBody } from './run-body.ts';

/** The agents, and the assistants that users made of them. */
export interface KnownAssistants {
  known: AgentsPort;
  assistants: AssistantService;
}

/** The name of the agent that an assistant id or a graph name refers to; undefined when none exists. */
export function agentNamed(agents: AgentsPort, assistant: string): string | undefined {
  return agents
    .list()
    .find(({ agentId }) => agentId === assistant || assistantIdOf(agentId) === assistant)?.agentId;
}

/**
 * The same for a policy question: an unknown name is returned unchanged, so that a caller who may not read agents does
 * not learn which exist.
 */
export function askedName(agents: AgentsPort, assistant: string): string {
  return agentNamed(agents, assistant) ?? assistant;
}

/** Assistants that users made have UUIDs: another name is that of an agent, or of nothing. */
export function isStored(agents: AgentsPort, assistant: string): boolean {
  return uuid.test(assistant) && agentNamed(agents, assistant) === undefined;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The agent of an assistant; an unknown name is returned unchanged. `assistant_not_found` */
export async function agentOf(
  { known, assistants }: KnownAssistants,
  principal: Principal,
  assistant: string,
): Promise<string> {
  if (!isStored(known, assistant)) return askedName(known, assistant);
  return (await assistants.read(principal, assistant)).agentId;
}

/**
 * A run's body, with what its assistant adds; what the request names itself wins. `configurable` and `context` are two
 * names of one thing: an assistant has one of them, and is read as the one that the request has.
 */
export async function withAssistant(
  { known, assistants }: KnownAssistants,
  principal: Principal,
  asked: { body: RunBody; members: ReadonlyMap<string, JsonText> },
): Promise<{ body: RunBody; members: ReadonlyMap<string, JsonText> }> {
  const { body, members } = asked;
  const { assistant_id: id } = body;
  const isMade = id !== undefined && isStored(known, id);
  const found = isMade ? await assistants.read(principal, id) : defaultsOf(known, id);
  if (found === undefined) return asked;
  const { agentId, config, context, metadata } = found;
  const { configurable: own = {}, ...others } = config as RunConfig; // checked when it was made
  const { configurable: given, ...rest } = body.config ?? {};
  const isContext = body.context !== undefined || (given === undefined && isFilled(context));
  const merged = { ...own, ...context, ...given, ...body.context };
  return {
    body: {
      ...body,
      assistant_id: agentId,
      config: { ...others, ...rest, configurable: isContext ? given : merged },
      ...(isContext && { context: merged }),
      metadata: { ...metadata, ...body.metadata, ...(isMade && { assistant_id: id }) },
    },
    members: isContext ? new Map([...members, ['context', toJsonText(merged)]]) : members,
  };
}

type RunConfig = NonNullable<RunBody['config']>;

/** What the manifest adds to runs of an agent's own assistant; undefined for nothing, or an unknown agent. */
function defaultsOf(agents: AgentsPort, assistant: string | undefined) {
  const name = assistant === undefined ? undefined : agentNamed(agents, assistant);
  const agent = agents.list().find(({ agentId }) => agentId === name);
  return agent?.assistant && { agentId: agent.agentId, metadata: {}, ...agent.assistant };
}

const isFilled = (object: object): boolean => Object.keys(object).length > 0;

/** An agent as an assistant; `since`: when this service started. */
export function presentAssistant(agent: ServedAgent, since: string) {
  const { agentId, name, description, metadata, assistant } = agent;
  return {
    ...langGraphIds(agentId),
    name,
    description: description ?? null,
    config: assistant?.config ?? {},
    context: assistant?.context ?? {},
    metadata: { created_by: 'system', ...metadata },
    version: 1,
    created_at: since,
    updated_at: since,
  };
}

/** An assistant that a user made, in LangGraph Server's form. */
export function presentStored(assistant: Assistant) {
  return { ...presentVersion(assistant), updated_at: isoTime(assistant.updatedAt) };
}

/** A version of one. */
export function presentVersion(version: AssistantVersion) {
  return {
    assistant_id: version.assistantId,
    graph_id: version.agentId,
    name: version.name,
    description: version.description ?? null,
    config: version.config,
    context: version.context,
    metadata: version.metadata,
    version: version.version,
    created_at: isoTime(version.createdAt),
  };
}
