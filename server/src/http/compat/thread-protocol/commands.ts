import { z } from 'zod';
import { isServiceError } from '../../../errors/service-error.ts';
import type { ThreadId } from '../../../model/ids.ts';
import { isObject, type JsonText, toJsonText } from '../../../model/json.ts';
import type { Principal } from '../../../model/principal.ts';
import type { RunView } from '../../../model/run/run.ts';
import type { PendingInterrupt } from '../../../model/thread/thread.ts';
import type { RunService } from '../../../threads/run-service.ts';
import type { StateService } from '../../../threads/state-service.ts';
import { parseInput } from '../../request/parse-input.ts';
import { objectOf, scanObject } from '../../response/raw-members.ts';
import type { BeginRun } from '../begin-run.ts';
import { optional } from '../compat-route.ts';
import { runBody } from '../run-body.ts';
import { AGENT_KEY } from '../state-routes.ts';
import type { AwaitedEnds } from './awaited-ends.ts';
import { seqAt } from './frame.ts';
import { protocolModes } from './run-frames.ts';

/** A command of a client, with its members as they were sent. */
export interface Command {
  id: number;
  method: string;
  params: Record<string, unknown>;
  members: ReadonlyMap<string, JsonText>;
}

const object = z.record(z.string(), z.unknown());

/** The frame of every command; the parameters are those of its method. */
export const commandFrame = z.object({
  id: z.int().min(0, { error: 'must be a number of the client' }),
  method: z.string(),
  params: optional(object),
});

/** The text of a command's `params`, member by member. */
export function paramsOf(members: ReadonlyMap<string, JsonText>): ReadonlyMap<string, JsonText> {
  const text = members.get('params');
  return text === undefined || !text.startsWith('{') ? new Map() : scanObject(text).members;
}

/** The codes of errors that the protocol has. */
type ErrorCode =
  | 'invalid_argument'
  | 'unknown_command'
  | 'no_such_run'
  | 'no_such_interrupt'
  | 'permission_denied'
  | 'not_supported';

/** A response: CommandResponse or ErrorResponse of the protocol. */
export type CommandResponse = Record<string, unknown>;

/** A command that cannot be carried out, in the protocol's words. */
class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** What commands need. */
export interface CommandServices {
  runs: RunService;
  states: StateService;
  begin: BeginRun;
  awaitedEnds: AwaitedEnds;
}

/** Who commands, and which thread. */
export interface CommandTarget {
  principal: Principal;
  threadId: ThreadId;
  signal: AbortSignal;
}

const runStart = z.object({
  assistant_id: z.string(),
  input: optional(z.unknown()),
  config: optional(object),
  metadata: optional(object),
  multitask_strategy: optional(z.string()),
  multitaskStrategy: optional(z.string()), // the JavaScript client's name for it
});
const reply = z.object({ interrupt_id: z.string(), response: z.unknown() });
const respond = z.object({
  interrupt_id: optional(z.string()),
  response: optional(z.unknown()),
  responses: optional(z.array(reply).min(1)),
  update: z.unknown(),
  goto: z.unknown(),
  config: optional(object),
  metadata: optional(object),
});
const stateGet = z.object({
  namespace: optional(z.array(z.string())),
  keys: optional(z.array(z.string())),
});

/** Methods of the protocol that are done in another way here. */
const elsewhere: Record<string, string> = {
  'subscription.subscribe': 'Subscribe on a WebSocket, or open an event stream of its own.',
  'subscription.unsubscribe': 'Unsubscribe on a WebSocket, or close the event stream.',
  'subscription.reconnect': 'Open a new stream with `since`.',
  'agent.getTree': 'Read the graph with GET /assistants/{assistant_id}/graph.',
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
      const run = await startRun(services, target, { asked: parseInput(runStart, params), members });
      return { result: { run_id: run.runUuid }, meta: metaOf(run) };
    }
    case 'input.respond': {
      const run = await respondToRun(services, target, { asked: parseInput(respond, params), members });
      return { result: { run_id: run.runUuid }, meta: metaOf(run) };
    }
    case 'state.get':
      return { result: await stateOf(services, target, parseInput(stateGet, params)) };
    default: {
      const hint = elsewhere[method];
      if (hint !== undefined) throw new CommandError('not_supported', `${method}: ${hint}`);
      throw new CommandError('unknown_command', `There is no command ${method}.`);
    }
  }
}

/** Events up to this one are of earlier runs. */
function metaOf({ threadId, createdAt }: RunView): object {
  return { thread_id: threadId, applied_through_seq: Math.max(0, seqAt(createdAt) - 1) };
}

/** An input of a thread that waits for an answer is that answer. */
async function startRun(
  services: CommandServices,
  target: CommandTarget,
  { asked, members }: { asked: z.infer<typeof runStart>; members: ReadonlyMap<string, JsonText> },
): Promise<RunView> {
  const { multitaskStrategy, multitask_strategy = multitaskStrategy, ...rest } = asked;
  const input = members.get('input');
  const isGiven = input !== undefined && input !== 'null';
  const questions = isGiven ? await pendingQuestions(services, target) : [];
  const given: [string, JsonText] =
    questions.length > 0 && isGiven
      ? ['command', objectOf(new Map([['resume', input]]))]
      : ['input', input ?? toJsonText(null)];
  return begun(services, target, { ...rest, multitask_strategy, given });
}

async function respondToRun(
  services: CommandServices,
  target: CommandTarget,
  { asked, members }: { asked: z.infer<typeof respond>; members: ReadonlyMap<string, JsonText> },
): Promise<RunView> {
  const { interrupt_id: only, response = null, responses, config, metadata } = asked;
  if (only === undefined && responses === undefined) {
    throw new CommandError('invalid_argument', 'input.respond needs an interrupt_id, or responses.');
  }
  const answers = responses ?? [{ interrupt_id: only ?? '', response }];
  const questions = await pendingQuestions(services, target);
  const unknown = answers.find(({ interrupt_id: id }) => !questions.some((one) => one.id === id));
  if (unknown !== undefined) {
    const message = `The thread does not wait for an answer to ${unknown.interrupt_id}.`;
    throw new CommandError('no_such_interrupt', message);
  }
  const resume = Object.fromEntries(answers.map((one) => [one.interrupt_id, one.response]));
  const command = new Map([['resume', toJsonText(resume)]]);
  for (const name of ['update', 'goto']) {
    const text = members.get(name);
    if (text !== undefined && text !== 'null') command.set(name, text);
  }
  const assistant = await assistantOf(services, target);
  const given: [string, JsonText] = ['command', objectOf(command)];
  return begun(services, target, { assistant_id: assistant, config, metadata, given });
}

interface Begun {
  assistant_id: string;
  config?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | undefined;
  multitask_strategy?: string | undefined;
  /** The input or the command, as it was sent. */
  given: [name: string, text: JsonText];
}

async function begun(
  { begin, awaitedEnds }: CommandServices,
  { principal, threadId }: CommandTarget,
  { given: [name, text], config, ...asked }: Begun,
): Promise<RunView> {
  const { configurable } = config ?? {};
  const checkpointId = isObject(configurable) ? configurable['checkpoint_id'] : undefined;
  const body = parseInput(runBody, {
    ...asked,
    ...(config && { config }),
    [name]: JSON.parse(text) as unknown,
    ...(typeof checkpointId === 'string' && { checkpoint_id: checkpointId }),
    if_not_exists: 'create',
    stream_subgraphs: true,
  });
  const members = new Map([[name, text]]);
  const run = await begin(
    { principal, body, members, streamModes: protocolModes },
    { threadId, thenDoes: 'service:run:stream' },
  );
  awaitedEnds.started(run);
  return run;
}

/** What the thread waits for; nothing where it does not exist. */
async function pendingQuestions(
  { states }: CommandServices,
  { principal, threadId }: CommandTarget,
): Promise<readonly PendingInterrupt[]> {
  try {
    return (await states.read(principal, threadId)).interrupts;
  } catch (error) {
    if (isServiceError(error) && error.code === 'thread_not_found') return [];
    throw error;
  }
}

/** That of the newest run, which asked. */
async function assistantOf(
  { runs }: CommandServices,
  { principal, threadId }: CommandTarget,
): Promise<string> {
  for await (const run of (await runs.list(principal, threadId, { limit: 1, offset: 0 })).items) {
    const { assistant_id: assistant = run.agentId } = run.metadata;
    return String(assistant);
  }
  throw new CommandError('no_such_run', 'The thread has no run: start one with run.start.');
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
    const shown = keys ? Object.fromEntries(keys.map((key) => [key, all[key]])) : all;
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

function asCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  if (!isServiceError(error)) return undefined;
  const codes: Partial<Record<string, ErrorCode>> = {
    invalid_request: 'invalid_argument',
    agent_not_found: 'invalid_argument',
    permission_denied: 'permission_denied',
    not_interrupted: 'no_such_interrupt',
  };
  const code = codes[error.code];
  return code && new CommandError(code, error.message);
}
