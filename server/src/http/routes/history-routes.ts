import * as contract from '../../contract/history-routes.ts';
import type { RunListWire, RunSearchWire, StatsQueryWire } from '../../contract/history.ts';
import { DEFAULT_LIMIT } from '../../contract/scalars.ts';
import type {
  NodeStatsQuery,
  RecordedTrace,
  RunCursor,
  RunFilter,
  StatsQuery,
} from '../../history/port.ts';
import { toJsonText } from '../../model/json.ts';
import type { FoundRuns, HistoryService, RunPageQuery } from '../../threads/history-service.ts';
import type { ModelCallService } from '../../threads/model-call-service.ts';
import type { Endpoints } from '../endpoint.ts';
import { type ItemStreamOptions, streamItems } from '../response/item-events.ts';
import { writeJson } from '../response/json-writer.ts';
import { asRunNotFound, runKeyOf, threadIdOf } from '../request/path-ids.ts';
import {
  presentNodeStats,
  presentModelCall,
  presentRecordedInput,
  presentRecordedRun,
  presentStats,
  presentTrace,
} from '../response/present-history.ts';
import type { SseWriter } from '../response/sse.ts';

const DEFAULT_PARTS = 24;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The run history (decisions: "run history"). */
export function historyRoutes(
  endpoints: Endpoints,
  services: { history: HistoryService; modelCalls: ModelCallService },
  options: Omit<ItemStreamOptions, 'signal'>,
): void {
  const { history, modelCalls } = services;

  endpoints.on(contract.listAllRuns, async ({ principal, query }) => {
    const found = await history.search(principal, pageOf(query));
    return { status: 200, body: found.runs.map(presentRecordedRun), headers: nextOf(found) };
  });

  endpoints.on(contract.searchRuns, async ({ principal, body }) => {
    const asked = { ...pageOf(body), hasFacets: body.facets === true };
    const found = await history.search(principal, asked);
    const { facets } = found;
    return {
      status: 200,
      body: {
        runs: found.runs.map(presentRecordedRun),
        ...(facets && {
          facets: {
            status: facets.status,
            agent_id: facets.agentId,
            error_code: facets.errorCode,
            is_capped: facets.isCapped,
          },
        }),
      },
      headers: nextOf(found),
    };
  });

  endpoints.on(contract.getRunInput, async ({ principal, params }) => {
    const input = await asRunNotFound(history.input(principal, runKeyOf(params)));
    return { status: 200, body: presentRecordedInput(input) };
  });

  endpoints.on(contract.getRunTrace, async ({ principal, params }) => {
    const trace = await asRunNotFound(history.trace(principal, runKeyOf(params)));
    return { status: 200, body: presentTrace(trace) };
  });

  endpoints.on(contract.streamRunTrace, async ({ principal, params, res, signal }) => {
    const followed = history.followTrace(principal, runKeyOf(params), signal);
    await streamItems(res, await asRunNotFound(followed), writeTrace, { ...options, signal });
    return undefined;
  });

  endpoints.on(contract.callModelAgain, async ({ principal, params, body, members, signal }) => {
    // As they were sent: digits and keys stay as they are.
    const [messages, given] = [members.get('messages'), members.get('params')];
    const request = {
      spanId: body.span_id,
      messages: { value: body.messages, json: messages ?? toJsonText(body.messages) },
      ...(body.params && {
        params: { value: body.params, json: given ?? toJsonText(body.params) },
      }),
    };
    const made = modelCalls.call(principal, runKeyOf(params), request, signal);
    return { status: 200, body: presentModelCall(await asRunNotFound(made)) };
  });

  endpoints.on(contract.getRunStats, async ({ principal, query }) => {
    return { status: 200, body: presentStats(await history.stats(principal, statsOf(query))) };
  });

  endpoints.on(contract.getNodeStats, async ({ principal, query }) => {
    const stats = await history.nodeStats(principal, windowOf(query));
    return { status: 200, body: presentNodeStats(stats) };
  });
}

function writeTrace(sse: SseWriter, trace: RecordedTrace): Promise<void> {
  return sse.event({ name: 'trace', data: writeJson(presentTrace(trace)) });
}

function pageOf({
  limit = DEFAULT_LIMIT,
  cursor,
  ...filter
}: RunListWire | RunSearchWire): RunPageQuery {
  return { ...filterOf(filter), limit, ...(cursor !== undefined && { cursor: cursorOf(cursor) }) };
}

/** The filter that a request asks for. */
function filterOf(asked: Omit<RunSearchWire, 'limit' | 'cursor' | 'facets'>): RunFilter {
  const { status, agent_id: agentId, agent_version: agentVersion, thread_id: threadId } = asked;
  const { sub, error_code: errorCode, min_tokens: minTokens, text } = asked;
  const { min_duration_ms: minDurationMs, max_duration_ms: maxDurationMs } = asked;
  return {
    ...(status !== undefined && { statuses: [status].flat() }),
    ...(agentId !== undefined && { agentIds: [agentId].flat().map(plain) }),
    ...(agentVersion !== undefined && { agentVersion: plain(agentVersion) }),
    ...(threadId !== undefined && { threadId: threadIdOf({ thread_id: threadId }) }),
    ...(sub !== undefined && { sub: plain(sub) }),
    ...(errorCode !== undefined && { errorCode: plain(errorCode) }),
    ...timeOf('createdAfter', asked.created_after),
    ...timeOf('createdBefore', asked.created_before),
    ...(minDurationMs !== undefined && { minDurationMs }),
    ...(maxDurationMs !== undefined && { maxDurationMs }),
    ...(minTokens !== undefined && { minTokens }),
    ...(text !== undefined && { text: plain(text) }),
  };
}

function statsOf({ parts = DEFAULT_PARTS, ...query }: StatsQueryWire): StatsQuery {
  return { ...windowOf(query), parts };
}

function windowOf({ from, to, ...filter }: Omit<StatsQueryWire, 'parts'>): NodeStatsQuery {
  const end = to === undefined ? Date.now() : Date.parse(to);
  const begin = from === undefined ? end - DAY_MS : Date.parse(from);
  return { ...filterOf(filter), from: begin, to: Math.max(begin, end) };
}

function timeOf<K extends string>(name: K, text: string | undefined): { [P in K]?: number } {
  return text === undefined ? {} : ({ [name]: Date.parse(text) } as { [P in K]?: number });
}

function nextOf({ next }: FoundRuns): Record<string, string> {
  return next ? { 'X-Pagination-Next': `${next.activityAt}.${next.id}` } : {};
}

/** Of the form that the contract has checked. */
function cursorOf(text: string): RunCursor {
  const [activityAt, id] = text.split('.').map(Number);
  return { activityAt: activityAt ?? 0, id: id ?? 0 };
}

/** A database takes no NUL, and nothing that is searched for has one. */
function plain(text: string): string {
  return text.replaceAll('\0', ' ');
}
