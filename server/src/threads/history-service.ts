import type { Engine } from '../engine/engine.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type {
  FoundRun,
  HistoryReads,
  NodeStats,
  NodeStatsQuery,
  RecordedInput,
  RecordedRun,
  RecordedTrace,
  RunCursor,
  RunFacets,
  RunFilter,
  RunStats,
  StatsQuery,
  WrittenRunsPort,
} from '../history/port.ts';
import { compositeRunId, type RunId, type RunUuid, type ThreadId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';
import { isSettled } from '../model/run/run.ts';
import type { MetadataFilter } from '../policy/metadata-filter.ts';
import type { PolicyPort } from '../policy/port.ts';
import {
  isAlsoPermitted,
  isMatch,
  ownedQuestion,
  requirePermission,
  requirePermissionInThread,
} from '../policy/require-permission.ts';
import { runResource, runsResource } from '../policy/resources.ts';
import type { RunKey } from './run-request.ts';

/** How often a trace that is followed is read although nothing was reported: another process may write it. */
const FOLLOW_MS = 5_000;
/** Runs that one search of a restricted caller looks at. */
const EXAMINED_ROWS = 2_000;
/** Rows that are read at once for a restricted caller. */
const BATCH_ROWS = 200;

export interface HistoryServicePorts {
  engine: Engine;
  policy: PolicyPort;
  /** Absent: the history is switched off. */
  history?: { reads: HistoryReads; written: WrittenRunsPort } | undefined;
}

export interface RunPageQuery extends RunFilter {
  limit: number;
  cursor?: RunCursor;
  hasFacets?: boolean;
}

export interface FoundRuns {
  runs: RecordedRun[];
  next?: RunCursor;
  facets?: RunFacets;
}

type Visible = (run: RecordedRun) => Promise<boolean>;

/** The run history as requests use it. What a caller may not read is not found. */
export class HistoryService {
  readonly #ports: HistoryServicePorts;

  constructor(ports: HistoryServicePorts) {
    this.#ports = ports;
  }

  async search(principal: Principal, query: RunPageQuery): Promise<FoundRuns> {
    const { hasFacets = false, limit, cursor, ...filter } = query;
    const isVisible = await this.#visibility(principal);
    const reads = this.#reads();
    if (isVisible) return this.#searchVisible(filter, { limit, cursor, isVisible });
    const [found, facets] = await Promise.all([
      reads.search({ ...filter, limit, ...(cursor && { cursor }) }),
      hasFacets ? reads.facets(filter) : undefined,
    ]);
    const last = found.length === limit ? found.at(-1) : undefined;
    return {
      runs: found.map(({ run }) => run),
      ...(last && { next: last.cursor }),
      ...(facets && { facets }),
    };
  }

  /**
   * The run with a uuid, for APIs whose clients know no more of it. Without a record of it, it may be on the thread with
   * the same id (`isNamedByRun`), or nowhere. Nothing is permitted here: whatever is done with the run asks for it.
   */
  async keyOf(runUuid: RunUuid): Promise<RunKey> {
    const rows = await this.#ports.history?.reads.search({ runUuid, limit: 1 });
    const { threadId = runUuid as string as ThreadId } = rows?.[0]?.run ?? {}; // a uuid is a valid thread id
    return { threadId, runUuid };
  }

  async input(principal: Principal, key: RunKey): Promise<RecordedInput> {
    await this.#permit(principal, key);
    return found(await this.#reads().input(compositeRunId(key.threadId, key.runUuid)));
  }

  async trace(principal: Principal, key: RunKey): Promise<RecordedTrace> {
    await this.#permit(principal, key);
    return found(await this.#reads().trace(compositeRunId(key.threadId, key.runUuid)));
  }

  /** The trace and then what is new of it, until the record of the run is over, or the signal fires. */
  async followTrace(
    principal: Principal,
    key: RunKey,
    signal: AbortSignal,
  ): Promise<AsyncIterable<RecordedTrace>> {
    const first = await this.trace(principal, key);
    return this.#laterTraces(compositeRunId(key.threadId, key.runUuid), first, signal);
  }

  async *#laterTraces(
    runId: RunId,
    first: RecordedTrace,
    signal: AbortSignal,
  ): AsyncIterable<RecordedTrace> {
    const { reads, written } = this.#history();
    let last = first;
    yield first;
    while (!isSettled(last.run.status) && !signal.aborted) {
      // Before the read: what is written between the two is reported.
      const notice = written.next(runId);
      try {
        const next = await reads.trace(runId, last.seq);
        if (!next) return; // it was deleted
        const isNew = next.seq > last.seq || next.run.activityAt > last.run.activityAt;
        last = next;
        if (isNew || isSettled(next.run.status)) yield next;
        else await notice.wait(FOLLOW_MS, signal);
      } finally {
        notice.close();
      }
    }
  }

  /** Of a restricted caller: of the runs that it may read. */
  async stats(principal: Principal, query: StatsQuery): Promise<RunStats> {
    const visible = await this.#visible(principal, query);
    return this.#reads().stats(visible);
  }

  /** Of a restricted caller: of the runs that it may read. */
  async nodeStats(principal: Principal, query: NodeStatsQuery): Promise<NodeStats> {
    const visible = await this.#visible(principal, query);
    return this.#reads().nodeStats(visible);
  }

  /** The query, which for a restricted caller names the runs that it may read. */
  async #visible<Q extends NodeStatsQuery>(principal: Principal, query: Q): Promise<Q> {
    const isVisible = await this.#visibility(principal);
    if (!isVisible) return query;
    const { statuses, agentIds, minDurationMs, text, from, to } = query;
    const filter: RunFilter = {
      ...{ createdAfter: from, createdBefore: to },
      ...(statuses && { statuses }),
      ...(agentIds && { agentIds }),
      ...(minDurationMs !== undefined && { minDurationMs }),
      ...(text !== undefined && { text }),
    };
    const limit = EXAMINED_ROWS;
    const { runs } = await this.#searchVisible(filter, { limit, cursor: undefined, isVisible });
    return { ...query, runIds: runs.map(({ runId }) => runId) };
  }

  #reads(): HistoryReads {
    return this.#history().reads;
  }

  #history(): NonNullable<HistoryServicePorts['history']> {
    if (this.#ports.history) return this.#ports.history;
    const message = 'The run history is switched off: set history.provider to sqlite.';
    throw new ServiceError('history_disabled', message);
  }

  /** Walks the runs until the page is full. */
  async #searchVisible(
    filter: RunFilter,
    asked: { limit: number; cursor: RunCursor | undefined; isVisible: Visible },
  ): Promise<FoundRuns> {
    const { limit, isVisible } = asked;
    let { cursor } = asked;
    const runs: RecordedRun[] = [];
    for (let examined = 0; examined < EXAMINED_ROWS; examined += BATCH_ROWS) {
      const rows: FoundRun[] = await this.#reads().search({
        ...filter,
        limit: BATCH_ROWS,
        ...(cursor && { cursor }),
      });
      for (const row of rows) {
        ({ cursor } = row);
        if (await isVisible(row.run)) runs.push(row.run);
        if (runs.length === limit) return { runs, next: cursor };
      }
      if (rows.length < BATCH_ROWS) return { runs };
    }
    return { runs, ...(cursor && { next: cursor }) };
  }

  /** Whether the caller may read a run; undefined: it may read all of them. */
  async #visibility(principal: Principal): Promise<Visible | undefined> {
    const { policy } = this.#ports;
    const { filter } = await requirePermission(policy, {
      principal,
      operation: 'service:run:search',
      resource: runsResource(undefined),
      given: { metadata: {}, values: {}, status: null },
    });
    if (policy.permitsEverything === true) return undefined;
    const known = new Map<ThreadId, Promise<boolean>>();
    return async (run) => {
      // The runs of a thread have one owner and random ids, so one question covers all of them.
      const { threadId } = run;
      const isVisible = known.get(threadId) ?? this.#isReadable(principal, run, filter);
      known.set(threadId, isVisible);
      return isVisible;
    };
  }

  async #isReadable(
    principal: Principal,
    { threadId, sub }: RecordedRun,
    filter: MetadataFilter | undefined,
  ): Promise<boolean> {
    const { policy, engine } = this.#ports;
    if (filter && !(await this.#matches(threadId, filter))) return false;
    const question = await ownedQuestion({ policy, engine }, threadId, {
      principal,
      operation: 'service:run:read',
      resource: runResource(threadId, '*'),
    });
    if (question.resource.owner !== undefined || sub === undefined || policy.looksAtOwners !== true)
      return isAlsoPermitted(policy, question);
    // The thread of a stateless run is gone after some days: it belonged to who created the run.
    const resource = { ...question.resource, owner: sub };
    return isAlsoPermitted(policy, { ...question, resource });
  }

  async #matches(threadId: ThreadId, filter: MetadataFilter): Promise<boolean> {
    try {
      const { metadata } = await this.#ports.engine.threads.read(threadId);
      return isMatch(metadata, filter);
    } catch (error) {
      if (isServiceError(error) && error.code === 'thread_not_found') return false;
      throw error;
    }
  }

  async #permit(principal: Principal, { threadId, runUuid }: RunKey): Promise<void> {
    await requirePermissionInThread(this.#ports, threadId, {
      principal,
      operation: 'service:run:read',
      resource: runResource(threadId, runUuid),
      given: { run_id: runUuid },
    });
  }
}

function found<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new ServiceError('run_not_found', 'The run history has no such run.');
}
