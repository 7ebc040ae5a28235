import { apiBase } from '../base.ts';
import { request } from '../client.ts';
import { ApiError } from '../errors.ts';
import { isRecord, type JsonRecord, numberOf, textOf } from '../json-record.ts';
import type { KeptContent } from './preset.ts';

/** An assistant of LangGraph's API: a named config and context of an agent, whichever client has made it. */
export interface Assistant extends KeptContent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly version?: number;
  readonly updatedAt?: string;
}

/** What is written of a new one. */
export interface AssistantWrite extends KeptContent {
  readonly name: string;
}

const base = '/compat/langgraph/assistants';
/** What the service returns at most of a search. */
const pageLimit = 1_000;

/** The assistants of an agent that clients have made, the newest first. */
export async function searchAssistants(
  agentId: string,
  signal?: AbortSignal,
): Promise<readonly Assistant[]> {
  const found = new Map<string, Assistant>();
  for (let offset = 0; ; offset += pageLimit) {
    const body = { graph_id: agentId, limit: pageLimit, offset };
    const page: unknown = await (await send('POST', '/search', body, signal)).json();
    if (!Array.isArray(page)) throw unexpected();
    for (const one of page.flatMap(assistantOf)) found.set(one.id, one);
    if (page.length < pageLimit) return [...found.values()];
  }
}

/** A new one; resolves with its id. */
export async function createAssistant(agentId: string, made: AssistantWrite): Promise<string> {
  return idOf(await send('POST', '', { graph_id: agentId, ...made }));
}

/** A new version of one; resolves with its id. Its name, description and metadata stay. */
export async function changeAssistant(id: string, changed: KeptContent): Promise<string> {
  return idOf(await send('PATCH', `/${encodeURIComponent(id)}`, changed));
}

/** Deletes one as the given principal, also when the page is being closed. One that no longer exists is no failure. */
export async function deleteAssistant(id: string, asBefore: typeof fetch): Promise<void> {
  const url = `${apiBase}${base}/${encodeURIComponent(id)}`;
  try {
    await asBefore(url, { method: 'DELETE', keepalive: true });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

function send(
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  return request(`${base}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

/** Nothing for one that the service itself makes of each agent, and for what is no assistant. */
function assistantOf(value: unknown): Assistant[] {
  if (!isRecord(value)) return [];
  const id = textOf(value, 'assistant_id');
  if (id === undefined || member(value, 'metadata')['created_by'] === 'system') return [];
  const description = textOf(value, 'description');
  const version = numberOf(value, 'version');
  const updatedAt = textOf(value, 'updated_at');
  return [
    {
      id,
      name: textOf(value, 'name') ?? '',
      config: member(value, 'config'),
      context: member(value, 'context'),
      ...(description !== undefined && { description }),
      ...(version !== undefined && { version }),
      ...(updatedAt !== undefined && { updatedAt }),
    },
  ];
}

function member(value: JsonRecord, name: string): JsonRecord {
  const found = value[name];
  return isRecord(found) ? found : {};
}

async function idOf(response: Response): Promise<string> {
  const body: unknown = await response.json();
  const id = isRecord(body) ? textOf(body, 'assistant_id') : undefined;
  if (id === undefined) throw unexpected();
  return id;
}

function unexpected(): ApiError {
  const message = 'The service responded with something other than assistants.';
  return new ApiError(200, { code: 'unexpected_answer', message, metadata: {} });
}
