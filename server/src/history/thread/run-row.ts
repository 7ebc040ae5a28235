import type { Insertable, Selectable, Updateable } from 'kysely';
import { jsonText } from '../../model/json.ts';
import type { RunId, RunUuid, ThreadId } from '../../model/ids.ts';
import type { RunError, RunStatus } from '../../model/run/run.ts';
import type { RecordedRun, RecordedValue } from '../port.ts';
import type { RunOpening, RunState } from './run-builder.ts';
import type { HistoryTables } from './schema.ts';

type Row = Selectable<HistoryTables['history_runs']>;
/** The columns of lists: without inputs and outputs. */
export const listedColumns = [
  ...['id', 'run_id', 'thread_id', 'run_uuid', 'agent_id', 'agent_version', 'status', 'sub'],
  ...['created_at', 'begun_at', 'first_token_at', 'ended_at', 'activity_at', 'duration_ms'],
  ...['attempts', 'error', 'input_preview', 'output_preview', 'metadata'],
  ...['input_tokens', 'output_tokens', 'total_tokens', 'cost', 'is_incomplete'],
] as unknown as readonly ListedColumn[];

type ListedColumn = Exclude<
  keyof Row,
  | 'ended_attempt'
  | 'error_code'
  | 'start_kind'
  | 'input'
  | 'input_bytes'
  | 'output'
  | 'output_bytes'
  | 'bytes'
>;
export type ListedRow = Pick<Row, ListedColumn>;

/** What a row takes beside its texts: the columns, and its entries in the indexes. */
const ROW_BYTES = 1_000;

/** The row of a run that was not recorded before. */
export function newRow(
  runId: string,
  { origin, input, inputPreview, metadata }: RunOpening,
  state: RunState,
  partBytes: number,
): Insertable<HistoryTables['history_runs']> {
  const { threadId, runUuid, agentId, agentVersion, createdAt, sub, start } = origin;
  return {
    run_id: runId,
    thread_id: threadId,
    run_uuid: runUuid,
    agent_id: agentId,
    agent_version: agentVersion ?? null,
    sub: sub?.replaceAll('\0', ' ') ?? null,
    created_at: createdAt,
    start_kind: start.kind,
    input: input?.json ?? null,
    input_bytes: input?.truncatedFrom ?? null,
    input_preview: inputPreview ?? null,
    metadata,
    ...changedColumns(state),
    bytes:
      ROW_BYTES + 2 * ((input?.json.length ?? 0) + (state.output?.json.length ?? 0)) + partBytes,
  };
}

/** The columns that change while the run goes on. */
export function changedColumns(state: RunState) {
  const { begunAt, endedAt, error, output, tokens } = state;
  return {
    status: state.status,
    begun_at: begunAt ?? null,
    first_token_at: state.firstTokenAt ?? null,
    ended_at: endedAt ?? null,
    activity_at: state.activityAt,
    duration_ms: begunAt === undefined || endedAt === undefined ? null : endedAt - begunAt,
    attempts: state.attempts,
    ended_attempt: state.endedAttempt,
    error_code: error?.code ?? null,
    error: error ? JSON.stringify(error) : null,
    output: output?.json ?? null,
    output_bytes: output?.truncatedFrom ?? null,
    output_preview: state.outputPreview ?? null,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    total_tokens: tokens.total,
    cost: state.cost ?? null,
    is_incomplete: state.isIncomplete ? 1 : 0,
  } satisfies Updateable<HistoryTables['history_runs']>;
}

/** The state of a run as its row has it, for a builder that goes on with it. */
export function stateOf(row: Row): RunState {
  const output = valueOf(row.output, row.output_bytes);
  return {
    status: row.status as RunStatus, // as changedColumns wrote it
    ...known('begunAt', row.begun_at),
    ...known('firstTokenAt', row.first_token_at),
    ...known('endedAt', row.ended_at),
    activityAt: Number(row.activity_at),
    attempts: row.attempts,
    endedAttempt: row.ended_attempt,
    ...(row.error !== null && { error: JSON.parse(row.error) as RunError }), // likewise
    ...(output && { output }),
    ...(row.output_preview !== null && { outputPreview: row.output_preview }),
    tokens: tokensOf(row),
    ...(row.cost !== null && { cost: row.cost }),
    isIncomplete: row.is_incomplete !== 0,
  };
}

/** A row as lists show it. */
export function runOf(row: ListedRow): RecordedRun {
  return {
    runId: row.run_id as RunId, // the three were parsed when the run was accepted
    threadId: row.thread_id as ThreadId,
    runUuid: row.run_uuid as RunUuid,
    agentId: row.agent_id,
    ...(row.agent_version !== null && { agentVersion: row.agent_version }),
    status: row.status as RunStatus,
    ...(row.sub !== null && { sub: row.sub }),
    createdAt: Number(row.created_at),
    ...known('begunAt', row.begun_at),
    ...known('firstTokenAt', row.first_token_at),
    ...known('endedAt', row.ended_at),
    activityAt: Number(row.activity_at),
    ...known('durationMs', row.duration_ms),
    attempts: row.attempts,
    ...(row.error !== null && { error: JSON.parse(row.error) as RunError }),
    ...(row.input_preview !== null && { inputPreview: row.input_preview }),
    ...(row.output_preview !== null && { outputPreview: row.output_preview }),
    tokens: tokensOf(row),
    ...(row.cost !== null && { cost: row.cost }),
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    isIncomplete: row.is_incomplete !== 0,
  };
}

/** A recorded value of two columns. */
export function valueOf(json: string | null, bytes: number | null): RecordedValue | undefined {
  if (json === null) return undefined;
  return { json: jsonText(json), ...(bytes !== null && { truncatedFrom: bytes }) };
}

function tokensOf(row: Pick<Row, 'input_tokens' | 'output_tokens' | 'total_tokens'>) {
  return {
    input: Number(row.input_tokens),
    output: Number(row.output_tokens),
    total: Number(row.total_tokens),
  };
}

function known<K extends string>(name: K, value: number | string | null): { [P in K]?: number } {
  return value === null ? {} : ({ [name]: Number(value) } as { [P in K]?: number });
}
