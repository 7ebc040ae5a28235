import type { z } from 'zod';
import type { Cron, CronContent } from '../../crons/port.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { assistantIdOf } from '../../model/agent-description.ts';
import type { JsonText } from '../../model/json.ts';
import { anonymousPrincipal, type Principal } from '../../model/principal.ts';
import type { CronService } from '../../threads/cron-service.ts';
import type { ThreadService } from '../../threads/thread-service.ts';
import type { WebhookService } from '../../threads/webhook-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { paginationHeaders } from '../request/parse-input.ts';
import { threadIdOf } from '../request/path-ids.ts';
import { isoTime } from '../response/iso-time.ts';
import { spliced } from '../response/json-writer.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import { agentNamed, agentOf, type KnownAssistants } from './assistants.ts';
import { selected } from './compat-route.ts';
import {
  change,
  count,
  create,
  createOnThread,
  get,
  type orders,
  payloadMembers,
  remove,
  search,
} from './cron-contracts.ts';

type Members = ReadonlyMap<string, JsonText>;
type Change = z.infer<NonNullable<typeof change.body>>;

/** Crons: runs that are made by a schedule. */
export function compatCronRoutes(
  endpoints: Endpoints,
  services: KnownAssistants & {
    crons: CronService;
    threads: ThreadService;
    webhooks: WebhookService;
  },
): void {
  const { crons, threads, webhooks, known } = services;

  /** The id of an assistant, by its id or by the name of its agent. `agent_not_found`, `assistant_not_found` */
  async function assistantOf(principal: Principal, assistant: string | undefined): Promise<string> {
    if (assistant === undefined) throw missing('assistant_id');
    const agentId = await agentOf(services, principal, assistant);
    return agentNamed(known, assistant) === undefined && agentId !== assistant
      ? assistant
      : assistantIdOf(known.resolve(agentId).agentId);
  }

  for (const contract of [create, createOnThread]) {
    endpoints.on(contract, async ({ principal, params, body, members }) => {
      const { thread_id: given } = params as { thread_id?: string };
      const threadId = given === undefined ? undefined : threadIdOf({ thread_id: given });
      const { on_run_completed: completed = 'delete' } = body as Partial<Change>;
      if (body.webhook !== undefined) webhooks.requireAllowed(body.webhook);
      // The thread has to be there, and readable.
      if (threadId !== undefined) await threads.read(principal, threadId);
      const content: CronContent = {
        assistantId: await assistantOf(principal, body.assistant_id),
        ...(threadId === undefined ? { onRunCompleted: completed } : { threadId }),
        schedule: body.schedule,
        ...(body.timezone !== undefined && { timezone: body.timezone }),
        ...(body.end_time !== undefined && { endTime: body.end_time }),
        isEnabled: body.enabled ?? true,
        metadata: body.metadata ?? {},
        payload: payloadOf(members),
      };
      const made = await crons.create(principal, content, {
        ...{ payload: askedPayload(members), schedule: body.schedule, metadata: content.metadata },
        ...{ thread_id: threadId ?? null, end_time: body.end_time ?? null },
        on_run_completed: content.onRunCompleted ?? null,
      });
      return { status: 200, body: presentCron(made) };
    });
  }

  endpoints.on(get, async ({ principal, params }) => {
    return { status: 200, body: presentCron(await crons.read(principal, idOf(params))) };
  });

  endpoints.on(change, async ({ principal, params, body, members }) => {
    const { assistant_id: assistant, on_run_completed: completed, end_time: endTime } = body;
    const { schedule, timezone, enabled, metadata, webhook } = body;
    if (webhook !== undefined) webhooks.requireAllowed(webhook);
    const changed = await crons.change(principal, idOf(params), {
      ...(assistant !== undefined && { assistantId: await assistantOf(principal, assistant) }),
      ...(completed !== undefined && { onRunCompleted: completed }),
      ...(schedule !== undefined && { schedule }),
      ...(timezone !== undefined && { timezone }),
      ...(endTime !== undefined && { endTime }),
      ...(enabled !== undefined && { isEnabled: enabled }),
      ...(metadata !== undefined && { metadata }),
      payloadOf(before) {
        const given = scanObject(payloadOf(members)).members;
        return objectOf(new Map([...scanObject(before).members, ...given]));
      },
      given: {
        ...{ payload: askedPayload(members), schedule: schedule ?? null },
        metadata: metadata ?? {},
      },
    });
    return { status: 200, body: presentCron(changed) };
  });

  endpoints.on(remove, async ({ principal, params }) => {
    await crons.delete(principal, idOf(params));
    return { status: 204 };
  });

  endpoints.on(search, async ({ principal, body }) => {
    const { enabled, limit = 10, offset = 0 } = body;
    const found = await crons.find(principal, {
      ...wanted(body),
      ...(enabled !== undefined && { isEnabled: enabled }),
    });
    const all = sorted(found.map(presentCron), body.sort_by, body.sort_order);
    const items = all.slice(offset, offset + limit);
    return {
      status: 200,
      body: items.map((row) => selected(row, body.select)),
      headers: paginationHeaders({ offset }, { items, total: all.length }),
    };
  });

  endpoints.on(count, async ({ principal, body }) => {
    return { status: 200, body: (await crons.find(principal, wanted(body))).length };
  });

  function wanted(body: z.infer<NonNullable<typeof count.body>>) {
    const { assistant_id: assistant, thread_id: threadId, metadata = {} } = body;
    const agentId = assistant === undefined ? undefined : agentNamed(known, assistant);
    const assistantId = agentId === undefined ? assistant : assistantIdOf(agentId);
    return {
      metadata,
      ...(assistantId !== undefined && { assistantId }),
      ...(threadId !== undefined && { threadId }),
    };
  }
}

function idOf({ cron_id: cronId = '' }: Record<string, string>): string {
  return cronId;
}

/** The body of the cron's runs, its members as they were sent; those that are null count as not given. */
function payloadOf(members: Members): JsonText {
  const kept = payloadMembers.flatMap((name) => {
    const text = members.get(name);
    return text === undefined || text === 'null' ? [] : [[name, text] as const];
  });
  return objectOf(new Map(kept));
}

/** Without the input, as for runs. */
function askedPayload(members: Members): object {
  const { input: _, ...payload } = JSON.parse(payloadOf(members)) as Record<string, unknown>;
  return payload;
}

function missing(path: string): ServiceError {
  const message = 'is required';
  return new ServiceError('invalid_request', `${path}: ${message}.`, {
    details: { issues: [{ path, message }] },
  });
}

/** A cron in LangGraph Server's form. */
function presentCron(cron: Cron) {
  const { sub } = cron.principal;
  return {
    cron_id: cron.cronId,
    assistant_id: cron.assistantId,
    thread_id: cron.threadId ?? null,
    on_run_completed: cron.onRunCompleted ?? null,
    end_time: cron.endTime === undefined ? null : isoTime(cron.endTime),
    schedule: cron.schedule,
    timezone: cron.timezone ?? null,
    created_at: isoTime(cron.createdAt),
    updated_at: isoTime(cron.updatedAt),
    user_id: sub === anonymousPrincipal.sub ? null : sub,
    payload: spliced(cron.payload),
    next_run_date: cron.nextAt === undefined ? null : isoTime(cron.nextAt),
    metadata: cron.metadata,
    enabled: cron.isEnabled,
  };
}

type Shown = ReturnType<typeof presentCron>;

/** The newest first, unless the request names another order; what has no value is last. */
function sorted(
  all: Shown[],
  by: (typeof orders)[number] = 'created_at',
  order: 'asc' | 'desc' = 'desc',
): Shown[] {
  const sign = order === 'asc' ? 1 : -1;
  return all.toSorted((one, other) => {
    const [a, b] = [one[by], other[by]];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return a < b ? -sign : a > b ? sign : 0;
  });
}
