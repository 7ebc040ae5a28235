import { z } from 'zod';
import { isObject, type JsonText } from '../../../model/json.ts';
import type { RunView } from '../../../model/run/run.ts';
import { parseInput } from '../../request/parse-input.ts';
import { scanObject } from '../../response/raw-members.ts';
import { optional } from '../compat-route.ts';
import { AGENT_KEY } from '../state-routes.ts';
import { asCommandError, CommandError } from './command-error.ts';
import { seqAt } from './frame.ts';
import {
  type CommandParams,
  type CommandServices,
  type CommandTarget,
  respondToRun,
  startRun,
} from './run-commands.ts';

/** A command of a client, with its members as they were sent. */
export interface Command extends CommandParams {
  id: number;
  method: string;
}

/** The frame of every command; the parameters are those of its method. */
export const commandFrame = z.object({
  id: z.int().min(0, { error: 'must be a number of the client' }),
  method: z.string(),
  params: optional(z.record(z.string(), z.unknown())),
});

/** The text of a command's `params`, member by member. */
export function paramsOf(members: ReadonlyMap<string, JsonText>): ReadonlyMap<string, JsonText> {
  const text = members.get('params');
  return text === undefined || !text.startsWith('{') ? new Map() : scanObject(text).members;
}

/** A response: CommandResponse or ErrorResponse of the protocol. */
export type CommandResponse = Record<string, unknown>;

const stateGet = z.object({
  namespace: optional(z.array(z.string())),
  keys: optional(z.array(z.string())),
});

/** Methods of the protocol that are done in another way here. */
const elsewhere: Record<string, string> = {
  'subscription.subscribe': 'Subscribe on a WebSocket, or open an event stream of its own.',
  'subscription.unsubscribe': 'Unsubscribe on a WebSocket, or close the event stream.',
  'subscription.reconnect': 'Open a new stream with `since`.',
  'agent.getTree': 'Follow the events of `lifecycle`: they have each sub-graph with its status.',
  'input.inject': 'Start a run with `run.start`: it is queued behind the one that runs.',
  'state.listCheckpoints': 'Read the history with POST /threads/{thread_id}/history.',
  'state.fork': 'Start a run with `config.configurable.checkpoint_id`.',
};

/** Carries out a command. Errors that the protocol has no word for are thrown. */
export async function carryOut(
  services: CommandServices,
  target: CommandTarget,
  { id, method, ...given }: Command,
): Promise<CommandResponse> {
  try {
    const done = await resultOf(services, target, { method, ...given });
    return { type: 'success', id, ...done };
  } catch (error) {
    const known = asCommandError(error);
    if (known === undefined) throw error;
    return { type: 'error', id, error: known.code, message: known.message };
  }
}

async function resultOf(
  services: CommandServices,
  target: CommandTarget,
  { method, params, members }: Omit<Command, 'id'>,
): Promise<{ result: object; meta?: object }> {
  switch (method) {
    case 'run.start': {
      const run = await startRun(services, target, { params, members });
      return { result: { run_id: run.runUuid }, meta: metaOf(run) };
    }
    case 'input.respond': {
      const run = await respondToRun(services, target, { params, members });
      return { result: { run_id: run.runUuid }, meta: metaOf(run) };
    }
    case 'state.get':
      return { result: await stateOf(services, target, parseInput(stateGet, params)) };
    default: {
      const hint = Object.hasOwn(elsewhere, method) ? elsewhere[method] : undefined;
      if (hint !== undefined) throw new CommandError('not_supported', `${method}: ${hint}`);
      throw new CommandError('unknown_command', `There is no command ${method}.`);
    }
  }
}

/** Events up to this one are of earlier runs. */
function metaOf({ threadId, createdAt }: RunView): object {
  return { thread_id: threadId, applied_through_seq: Math.max(0, seqAt(createdAt) - 1) };
}

async function stateOf(
  { states }: CommandServices,
  { principal, threadId, signal }: CommandTarget,
  { namespace = [], keys }: z.infer<typeof stateGet>,
): Promise<object> {
  const question = { ns: namespace.join('|'), subgraphs: false, agentKey: AGENT_KEY };
  for await (const text of await states.describe(principal, threadId, question, signal)) {
    const { values, checkpoint } = JSON.parse(text) as { values: unknown; checkpoint: unknown };
    const all = isObject(values) ? values : {};
    const entries = Object.entries(all).filter(([key]) => keys === undefined || keys.includes(key));
    const shown = Object.fromEntries(entries);
    const ref = isObject(checkpoint) ? checkpoint : {};
    return {
      values: shown,
      ...(typeof ref['checkpoint_id'] === 'string' && {
        checkpoint: { id: ref['checkpoint_id'], ns: ref['checkpoint_ns'] ?? '' },
      }),
    };
  }
  return { values: {} };
}
