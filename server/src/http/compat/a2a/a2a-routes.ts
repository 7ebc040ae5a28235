/*
 * Assistants as agents of the Agent2Agent protocol (https://a2a-protocol.org/v0.3.0/specification), over JSON-RPC and
 * server-sent events, as LangGraph's server has them: a task is a run, and a context is a thread.
 */
import { z } from 'zod';
import { asksAgentOfAssistant, asksAssistant, asksTasks } from '../../../contract/permissions.ts';
import type { ErrorCode } from '../../../errors/codes.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import { parseRunId, type ThreadId } from '../../../model/ids.ts';
import type { JsonText } from '../../../model/json.ts';
import type { Principal } from '../../../model/principal.ts';
import { isSettled, type RunView } from '../../../model/run/run.ts';
import type { AgentService } from '../../../threads/agent-service.ts';
import { newThreadId } from '../../../threads/new-ids.ts';
import type { RunFollower } from '../../../threads/run-follower.ts';
import type { RunKey } from '../../../threads/run-request.ts';
import type { StateService } from '../../../threads/state-service.ts';
import type { Endpoints } from '../../endpoint.ts';
import { objectOf } from '../../response/raw-members.ts';
import { parseInput } from '../../request/parse-input.ts';
import { threadIdOf } from '../../request/path-ids.ts';
import { askedName, isStored, presentAssistant, presentStored } from '../assistants.ts';
import { type BeginRunServices, createBeginRun } from '../begin-run.ts';
import { compatRoute } from '../compat-route.ts';
import { pendingQuestions } from '../pending-questions.ts';
import { runBody } from '../run-body.ts';
import { awaitOutcome, outcomeOf } from '../run-outcome.ts';
import { agentCard } from './agent-card.ts';
import { answerOf, inputOf, namedTask, sentMessage, type SentMessage } from './message.ts';
import { taskOf } from './task.ts';
import { streamTask } from './task-stream.ts';

const a2a = compatRoute('post', '/a2a/{assistant_id}', {
  asks: asksTasks,
  body: z.looseObject({
    jsonrpc: z.literal('2.0', { error: 'must be "2.0"' }),
    id: z.union([z.string(), z.number()]).nullish(),
    method: z.string(),
    params: z.looseObject({}).optional(),
  }),
});
const card = compatRoute('get', '/.well-known/agent-card.json', {
  asks: [asksAssistant('read'), asksAgentOfAssistant],
  query: z.object({ assistant_id: z.string({ error: 'names the assistant' }) }),
});

export const a2aContracts = [a2a, card];

// JSON-RPC 2.0, 5.1; A2A 0.3, 8.2
const codes: Partial<Record<ErrorCode, number>> = {
  invalid_request: -32_602,
  run_not_found: -32_001,
  thread_not_found: -32_001,
};
const METHOD_NOT_FOUND = -32_601;
const NOT_CANCELABLE = { code: -32_002, message: 'The task has ended.' };

type Services = BeginRunServices & {
  agents: AgentService;
  states: StateService;
  follower: RunFollower;
};
interface Asked {
  principal: Principal;
  assistant: string;
  params: Record<string, unknown>;
  signal: AbortSignal;
}

export function a2aRoutes(
  endpoints: Endpoints,
  services: Services,
  options: {
    version: string;
    checkpointHistory: number | undefined;
    heartbeatMs: number;
    onFailure: (error: unknown) => void;
  },
): void {
  const { agents, runs, states, follower, known, assistants } = services;
  const begin = createBeginRun(services, options);
  const since = new Date().toISOString();

  /** A message of a context whose agent asks is the answer. */
  async function started(
    { principal, assistant, params }: Asked,
    thenDoes: 'service:run:read' | 'service:run:stream',
  ): Promise<{ run: RunView; isAwaited: boolean }> {
    const { message, configuration, metadata } = parseInput(sentMessage, params);
    const named = contextOf(message);
    const isNew = named === undefined;
    const threadId = named ?? newThreadId();
    const questions = isNew ? [] : await pendingQuestions(states, principal, threadId);
    const given: [string, JsonText] =
      questions.length > 0
        ? ['command', objectOf(new Map([['resume', answerOf(message)]]))]
        : ['input', inputOf(message)];
    const body = parseInput(runBody, {
      assistant_id: assistant,
      [given[0]]: JSON.parse(given[1]) as unknown,
      ...(metadata && { metadata }),
      if_not_exists: 'create',
      stream_mode: ['messages', 'values'],
    });
    const isAwaited = configuration?.blocking !== false && thenDoes === 'service:run:read';
    const asked = { principal, body, members: new Map([given]) };
    return { run: await begin(asked, { threadId, thenDoes, isAwaited }), isAwaited };
  }

  async function resultOf(method: string, asked: Asked): Promise<object | undefined> {
    const { principal, params, signal } = asked;
    switch (method) {
      case 'message/send': {
        const { run: begun, isAwaited } = await started(asked, 'service:run:read');
        if (!isAwaited) return taskOf(begun);
        const ends = { signal, isCancelledOnDisconnect: false };
        const { run, values } = await awaitOutcome(services, { principal, begun }, ends);
        return taskOf(run, values);
      }
      case 'tasks/get': {
        const run = await runs.read(principal, keyOf(params));
        return taskOf(
          run,
          isSettled(run.status) ? await outcomeOf(services, principal, run) : undefined,
        );
      }
      case 'tasks/cancel': {
        const run = await runs.read(principal, keyOf(params));
        return isSettled(run.status) ? undefined : taskOf(await runs.cancel(principal, run));
      }
      default:
        return undefined;
    }
  }

  async function streamed(method: string, asked: Asked): Promise<RunView | undefined> {
    if (method === 'message/stream') return (await started(asked, 'service:run:stream')).run;
    if (method !== 'tasks/resubscribe') return undefined;
    return follower.start(asked.principal, keyOf(asked.params));
  }

  endpoints.on(a2a, async ({ principal, params, body, res, signal }) => {
    const { id = null, method, params: given = {} } = body;
    const asked = { principal, assistant: params['assistant_id'] ?? '', params: given, signal };
    const responded = (outcome: object) => ({
      status: 200,
      body: { jsonrpc: '2.0', id, ...outcome },
    });
    try {
      const run = await streamed(method, asked);
      if (run !== undefined) {
        const own = {
          id,
          run,
          valuesOf: async (ended: RunView) => outcomeOf(services, principal, ended),
        };
        await streamTask(res, follower, own, { ...options, signal });
        return undefined;
      }
      const result = await resultOf(method, asked);
      if (result !== undefined) return responded({ result });
      if (method === 'tasks/cancel') return responded({ error: NOT_CANCELABLE });
      const message = `Method not found: ${method}`;
      return responded({ error: { code: METHOD_NOT_FOUND, message } });
    } catch (error) {
      const code = isServiceError(error) ? codes[error.code] : undefined;
      if (code === undefined || !isServiceError(error)) throw error;
      return responded({ error: { code, message: error.message } });
    }
  });

  endpoints.on(card, async ({ principal, query, res }) => {
    const { assistant_id: id } = query;
    const source = isStored(known, id)
      ? presentStored(await assistants.read(principal, id))
      : presentAssistant(await agents.read(principal, askedName(known, id)), since);
    const { host = '' } = res.req.headers;
    return { status: 200, body: agentCard(source, { ...options, host, isTls: res.req.secure }) };
  });
}

/** The thread of a message's context, or of the task that it belongs to; undefined: a new one. */
function contextOf({ contextId, taskId }: SentMessage): ThreadId | undefined {
  const context = typeof contextId === 'string' ? threadIdOf({ thread_id: contextId }) : undefined;
  if (typeof taskId !== 'string') return context;
  const { threadId } = taskKey(taskId);
  if (context === undefined || context === threadId) return threadId;
  throw new ServiceError('invalid_request', 'The task is not of this context.');
}

function keyOf(params: Record<string, unknown>): RunKey {
  return taskKey(parseInput(namedTask, params).id);
}

function taskKey(id: string): RunKey {
  const key = parseRunId(id);
  if (key === undefined) throw new ServiceError('run_not_found', `There is no task ${id}.`);
  return key;
}
