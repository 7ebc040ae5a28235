import { z } from 'zod';
import { isServiceError } from '../../../errors/service-error.ts';
import type { ThreadId } from '../../../model/ids.ts';
import { isObject, type JsonText, toJsonText } from '../../../model/json.ts';
import type { Principal } from '../../../model/principal.ts';
import type { RunView } from '../../../model/run/run.ts';
import type { RunService } from '../../../threads/run-service.ts';
import type { StateService } from '../../../threads/state-service.ts';
import { parseInput } from '../../request/parse-input.ts';
import { objectOf } from '../../response/raw-members.ts';
import type { BeginRun } from '../begin-run.ts';
import { optional } from '../compat-route.ts';
import { pendingQuestions } from '../pending-questions.ts';
import { runBody } from '../run-body.ts';
import type { AwaitedEnds } from './awaited-ends.ts';
import { CommandError } from './command-error.ts';
import { protocolModes } from './run-frames.ts';

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

/** A command's parameters, and their members as they were sent. */
export interface CommandParams {
  params: Record<string, unknown>;
  members: ReadonlyMap<string, JsonText>;
}

const object = z.record(z.string(), z.unknown());
const runStart = z.object({
  assistant_id: z.string(),
  input: optional(z.unknown()),
  config: optional(object),
  metadata: optional(object),
  multitask_strategy: optional(z.string()),
  multitaskStrategy: optional(z.string()), // the JavaScript client's name for it
});
const reply = z.object({ interrupt_id: z.string(), response: optional(z.unknown()) });
const respond = z.object({
  interrupt_id: optional(z.string()),
  response: optional(z.unknown()),
  responses: optional(z.array(reply).min(1)),
  update: optional(z.unknown()),
  goto: optional(z.unknown()),
  config: optional(object),
  metadata: optional(object),
});

/** An input of a thread that waits for an answer is that answer. */
export async function startRun(
  services: CommandServices,
  target: CommandTarget,
  { params, members }: CommandParams,
): Promise<RunView> {
  const asked = parseInput(runStart, params);
  const { multitaskStrategy, multitask_strategy = multitaskStrategy, ...rest } = asked;
  const input = members.get('input');
  const isGiven = input !== undefined && input !== 'null';
  // A run from an earlier checkpoint starts anew there.
  const isAnswer = isGiven && checkpointIn(asked.config) === undefined;
  const questions = isAnswer
    ? await pendingQuestions(services.states, target.principal, target.threadId)
    : [];
  const given: [string, JsonText] =
    questions.length > 0 && isGiven
      ? ['command', objectOf(new Map([['resume', input]]))]
      : ['input', input ?? toJsonText(null)];
  return begun(services, target, { ...rest, multitask_strategy, given });
}

/** Answers one question or several of one checkpoint, which one run takes together. */
export async function respondToRun(
  services: CommandServices,
  target: CommandTarget,
  { params, members }: CommandParams,
): Promise<RunView> {
  const asked = parseInput(respond, params);
  const { interrupt_id: only, response = null, responses, config, metadata } = asked;
  if (only === undefined && responses === undefined) {
    throw new CommandError(
      'invalid_argument',
      'input.respond needs an interrupt_id, or responses.',
    );
  }
  const answers = responses ?? [{ interrupt_id: only ?? '', response }];
  const { interrupts: questions } = await services.states
    .read(target.principal, target.threadId)
    .catch(unlessMissing);
  const unknown = answers.find(({ interrupt_id: id }) => !questions.some((one) => one.id === id));
  if (unknown !== undefined) {
    const message = `The thread does not wait for an answer to ${unknown.interrupt_id}.`;
    throw new CommandError('no_such_interrupt', message);
  }
  const resume = Object.fromEntries(answers.map((one) => [one.interrupt_id, one.response ?? null]));
  const command = new Map([['resume', toJsonText(resume)]]);
  for (const name of ['update', 'goto']) {
    const text = members.get(name);
    if (text !== undefined && text !== 'null') command.set(name, text);
  }
  const assistant = await assistantOf(services, target);
  const given: [string, JsonText] = ['command', objectOf(command)];
  return begun(services, target, { assistant_id: assistant, config, metadata, given });
}

function unlessMissing(error: unknown): { interrupts: [] } {
  if (isServiceError(error) && error.code === 'thread_not_found') return { interrupts: [] };
  throw error;
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
  const checkpointId = checkpointIn(config);
  const body = parseInput(runBody, {
    ...asked,
    ...(config && { config }),
    [name]: JSON.parse(text) as unknown,
    ...(checkpointId !== undefined && { checkpoint_id: checkpointId }),
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

function checkpointIn(config: Record<string, unknown> | undefined): string | undefined {
  const { configurable } = config ?? {};
  const id = isObject(configurable) ? configurable['checkpoint_id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
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
