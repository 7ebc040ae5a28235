import { sql, type SqlBool } from 'kysely';
import { FACET_ROWS } from '../limits.ts';
import type { FoundRun, RunFacets, RunFilter, RunSearchQuery } from '../port.ts';
import type { OpenHistory } from './open-database.ts';
import { listedColumns, type ListedRow, runOf } from './run-row.ts';
import type { Dialect } from '../../database/open-database.ts';
import { hasWords } from './text-index.ts';

/** A page of the runs that match, newest activity first. */
export async function searchRuns(
  history: OpenHistory,
  { limit, cursor, ...filter }: RunSearchQuery,
): Promise<FoundRun[]> {
  let select = matching(history, filter)
    .select(listedColumns)
    .orderBy('activity_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (cursor) {
    const { activityAt, id } = cursor;
    select = select.where(sql<SqlBool>`(activity_at, id) < (${activityAt}, ${id})`);
  }
  const rows: ListedRow[] = await select.execute();
  return rows.map((row) => ({
    run: runOf(row),
    cursor: { activityAt: Number(row.activity_at), id: Number(row.id) },
  }));
}

/** How often each status, agent and error code occurs among the newest matches. */
export async function countFacets(history: OpenHistory, filter: RunFilter): Promise<RunFacets> {
  const newest = matching(history, filter)
    .select(['status', 'agent_id', 'error_code'])
    .orderBy('activity_at', 'desc')
    .orderBy('id', 'desc')
    .limit(FACET_ROWS);
  const groups = await history.db
    .selectFrom(newest.as('newest'))
    .select(['status', 'agent_id', 'error_code', ({ fn }) => fn.countAll().as('runs')])
    .groupBy(['status', 'agent_id', 'error_code'])
    .execute();
  const none = (): Record<string, number> => Object.create(null) as Record<string, number>; // any name is a key
  const facets: RunFacets = {
    ...{ isCapped: false, counted: 0 },
    ...{ status: none(), agentId: none(), errorCode: none() },
  };
  for (const { status, agent_id: agentId, error_code: errorCode, runs } of groups) {
    const count = Number(runs);
    facets.counted += count;
    add(facets.status, status, count);
    add(facets.agentId, agentId, count);
    if (errorCode !== null) add(facets.errorCode, errorCode, count);
  }
  return { ...facets, isCapped: facets.counted >= FACET_ROWS };
}

/** The runs that match a filter. */
export function matching({ db, dialect }: OpenHistory, filter: RunFilter) {
  const { statuses, agentIds, agentVersion, threadId, sub, errorCode, text } = filter;
  let select = db.selectFrom('history_runs');
  if (statuses) select = select.where('status', 'in', [...statuses]);
  if (agentIds) select = select.where('agent_id', 'in', [...agentIds]);
  if (agentVersion !== undefined) select = select.where('agent_version', '=', agentVersion);
  if (threadId !== undefined) select = select.where('thread_id', '=', threadId);
  if (sub !== undefined) select = select.where('sub', '=', sub);
  if (errorCode !== undefined) select = select.where('error_code', '=', errorCode);
  if (filter.runUuid !== undefined) select = select.where('run_uuid', '=', filter.runUuid);
  if (filter.runIds) select = select.where(isOneOf(dialect, filter.runIds));
  const { createdAfter, createdBefore, minDurationMs, maxDurationMs, minTokens } = filter;
  if (createdAfter !== undefined) select = select.where('created_at', '>=', createdAfter);
  if (createdBefore !== undefined) select = select.where('created_at', '<', createdBefore);
  if (minDurationMs !== undefined) select = select.where('duration_ms', '>=', minDurationMs);
  if (maxDurationMs !== undefined) select = select.where('duration_ms', '<=', maxDurationMs);
  if (minTokens !== undefined) select = select.where('total_tokens', '>=', minTokens);
  return text === undefined ? select : select.where(hasWords(dialect, text));
}

/** As one parameter: a statement takes a limited number of them. */
function isOneOf(dialect: Dialect, runIds: readonly string[]) {
  const list = JSON.stringify(runIds);
  return dialect === 'sqlite'
    ? sql<SqlBool>`run_id in (select value from json_each(${list}))`
    : sql<SqlBool>`run_id in (select json_array_elements_text(${list}::json))`;
}

function add(counts: Record<string, number>, value: string, count: number): void {
  counts[value] = (counts[value] ?? 0) + count;
}
