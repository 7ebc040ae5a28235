import { isDeepStrictEqual } from 'node:util';
import type { CheckpointPendingWrite, CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { noTask, visibleInterrupt } from './checkpoint-codec.ts';
import { isRecord } from './run-config.ts';

/** A checkpoint that the run has saved, or has written beside. */
export interface TouchedCheckpoint {
  tuple: CheckpointTuple;
  /** For each pending write the run that made it; '' is the one that saved the checkpoint. */
  writers: string[];
}

/** What a lost attempt has done with the command of its run. */
export interface DoneCommand {
  /** The answers that were not yet taken; undefined: all were. */
  resume: unknown;
  /** The answer for the first task that asks has been given to its question. */
  isAnswered: boolean;
  /** Update and destinations are recorded: LangGraph applies them by itself. */
  isRecorded: boolean;
}

/**
 * A node that asks several times takes the same answer several times ("no", "no"), so the answer alone does not
 * show whether it was taken: only what this very run has written beside the question does.
 */
export function doneCommand(
  resume: unknown,
  { base, touched, runId }: { base?: CheckpointTuple; touched: TouchedCheckpoint[]; runId: string },
): DoneCommand {
  const own = touched.map((one) => ({ all: pending(one.tuple), writes: ownWrites(one, runId) }));
  const isRecorded = own.some(({ writes }) =>
    writes.some(([taskId, channel]) => taskId === noTask && channel !== '__resume__'),
  );
  const taken = own.flatMap(({ all, writes }) =>
    writes
      .filter(([taskId, channel]) => taskId !== noTask && channel === '__resume__')
      .map(([taskId, , value]) => ({
        answer: Array.isArray(value) ? (value.at(-1) as unknown) : value,
        ids: questionIds(all.filter(([id]) => id === taskId)),
      })),
  );
  if (isById(resume)) {
    const asked = questionIds(pending(base));
    const isTaken = ([key, answer]: [string, unknown]): boolean =>
      taken.some((one) => one.ids.has(key) && isDeepStrictEqual(one.answer, answer));
    const left = Object.entries(resume).filter((one) => asked.has(one[0]) && !isTaken(one));
    const rest = left.length > 0 ? Object.fromEntries(left) : undefined;
    return { resume: rest, isAnswered: false, isRecorded };
  }
  const isAnswered = taken.some(({ answer }) => isDeepStrictEqual(answer, resume));
  return { resume: isAnswered ? undefined : resume, isAnswered, isRecorded };
}

function ownWrites({ tuple, writers }: TouchedCheckpoint, runId: string): CheckpointPendingWrite[] {
  const { run_id: savedBy } = (tuple.metadata ?? {}) as { run_id?: unknown };
  return pending(tuple).filter((_, index) => (writers[index] || savedBy) === runId);
}

const pending = (tuple: CheckpointTuple | undefined): CheckpointPendingWrite[] =>
  tuple?.pendingWrites ?? [];

/** LangGraph's rule for answers that name their questions. */
function isById(resume: unknown): resume is Record<string, unknown> {
  if (!isRecord(resume)) return false;
  const keys = Object.keys(resume);
  return keys.length > 0 && keys.every((key) => /^[0-9a-f]{32}$/.test(key));
}

/** The ids of the questions among pending writes. */
function questionIds(writes: CheckpointPendingWrite[]): Set<unknown> {
  const questions = writes
    .filter(([, channel]) => channel === '__interrupt__')
    .flatMap(([, , value]): unknown[] => (Array.isArray(value) ? value : [value]));
  return new Set(questions.map((question) => visibleInterrupt(question).id));
}
