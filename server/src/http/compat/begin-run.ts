import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { ThreadId } from '../../model/ids.ts';
import type { JsonText } from '../../model/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { RunView, StreamMode } from '../../model/run/run.ts';
import type { Idempotency } from '../../model/thread/idempotency.ts';
import type { AssistantService } from '../../threads/assistant-service.ts';
import type { AgentsPort } from '../../threads/ports.ts';
import type { RunCreation } from '../../threads/run-request.ts';
import type { RunService } from '../../threads/run-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { WebhookService } from '../../threads/webhook-service.ts';
import { withAssistant } from './assistants.ts';
import { type RunBody, runRequestOf } from './run-body.ts';

/** What the creation of a run needs. */
export interface BeginRunServices {
  threads: ThreadService;
  runs: RunService;
  known: AgentsPort;
  assistants: AssistantService;
  webhooks: WebhookService;
}

/** A run as a client of LangGraph Server asks for it. */
export interface AskedRun {
  principal: Principal;
  body: RunBody;
  /** The members of the body as they were sent. */
  members: ReadonlyMap<string, JsonText>;
  idempotency?: Idempotency | undefined;
  /** What the run streams, where that is no choice of the client. */
  streamModes?: StreamMode[];
}

/** Where the run is made, and what its request does next; without a thread it is stateless. */
export type RunTarget = Pick<RunCreation, 'thenDoes' | 'isAwaited' | 'isNamedByRun' | 'key'> & {
  threadId: ThreadId | undefined;
};

/** Makes a run, and its thread where `if_not_exists: create` asks for that. `agent_not_found`, `thread_not_found` */
export type BeginRun = (asked: AskedRun, target: RunTarget) => Promise<RunView>;

/** The one way in which the routes of LangGraph Server make runs. */
export function createBeginRun(
  services: BeginRunServices,
  { checkpointHistory }: { checkpointHistory: number | undefined },
): BeginRun {
  const { threads, runs, known, webhooks } = services;

  async function made(
    { principal, body, members, idempotency, streamModes }: AskedRun,
    { threadId, ...then }: RunTarget,
  ): Promise<RunView> {
    const full = await withAssistant(services, principal, { body, members });
    const request = {
      ...runRequestOf(full.body, full.members, known),
      ...(streamModes && { streamModes }),
    };
    const { webhook } = body;
    if (webhook !== undefined) webhooks.requireAllowed(webhook);
    const note = webhook !== undefined && { note: webhooks.noteFor(principal, webhook) };
    const once = { idempotency, ...then, ...note };
    if (threadId === undefined) return runs.createStateless(principal, request, once);
    const isThreadMade = body.if_not_exists === 'create';
    try {
      return await runs.create(principal, threadId, request, { ...once, isThreadMade });
    } catch (error) {
      const isMissing = isServiceError(error) && error.code === 'thread_not_found';
      if (!isMissing || !isThreadMade) throw error;
      const thread = { metadata: {}, ifExists: 'do_nothing' as const, checkpointHistory };
      await threads.create(principal, { threadId, ...thread }).catch((refused: unknown) => {
        // The thread exists and belongs to another user.
        throw isServiceError(refused) && refused.code === 'thread_exists' ? error : refused;
      });
    }
    return runs.create(principal, threadId, request, once);
  }

  return async (asked, target) => {
    try {
      return await made(asked, target);
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'agent_not_found') throw error;
      const { assistant_id: id = '' } = asked.body;
      const message = `No assistant found for "${id}": it is neither an assistant's id nor a graph's name.`;
      throw new ServiceError('agent_not_found', message, { cause: error });
    }
  };
}
