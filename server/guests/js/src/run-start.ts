import type { CheckpointTuple } from '@langchain/langgraph-checkpoint';
import { visibleInterrupt } from './checkpoint-codec.ts';
import { GuestError } from './guest-error.ts';
import { doneCommand, type TouchedCheckpoint } from './later-attempt.ts';
import type { LangGraphLibrary } from './langgraph-library.ts';
import { isRecord, parseObject, type RunConfig } from './run-config.ts';
import type { InvokeRequest } from './wire.ts';

export interface RunStart {
  /** The agent's input, a Command of the agent's LangGraph, or null to continue from the head. */
  input: unknown;
  config: RunConfig;
}

/** What the graph starts from. The checkpoints are only read where that depends on what was saved. */
export async function runStart(
  request: InvokeRequest,
  config: RunConfig,
  parts: {
    library: LangGraphLibrary;
    /** The checkpoint with this id, or the head. */
    read: (checkpointId?: string) => Promise<CheckpointTuple | undefined>;
    touched: () => Promise<TouchedCheckpoint[]>;
    forgetAnswer: () => void;
  },
): Promise<RunStart> {
  const { library, read, touched, forgetAnswer } = parts;
  const command =
    request.start === 'commandJson' ? parseObject(request.commandJson ?? '{}') : undefined;
  const isLater = request.attempt > 1;
  const head = isLater || isFalsyAnswer(command) ? await read() : undefined;
  if (isLater && (head?.metadata as { run_id?: unknown } | undefined)?.run_id === request.runId) {
    // A checkpoint of this very run has the start in it already, even if the run branched off elsewhere.
    const { checkpoint_id: _, ...configurable } = config.configurable;
    return { input: null, config: { ...config, configurable } };
  }
  if (command !== undefined && isLater) {
    const { checkpoint_id: id } = config.configurable;
    const base = typeof id === 'string' && id !== '' ? await read(id) : head;
    const { runId } = request;
    const done = doneCommand(command['resume'], {
      ...(base && { base }),
      touched: await touched(),
      runId,
    });
    if (done.isAnswered) forgetAnswer();
    const rest = done.isRecorded ? {} : command;
    return { input: commandFor({ ...rest, resume: done.resume }, base, library), config };
  }
  if (command !== undefined) return { input: commandFor(command, head, library), config };
  const input: unknown =
    request.start === 'inputJson' ? JSON.parse(request.inputJson ?? 'null') : null;
  return { input, config };
}

function commandFor(
  { resume, update, goto }: Record<string, unknown>,
  head: CheckpointTuple | undefined,
  library: LangGraphLibrary,
): unknown {
  const answer = answerFor(resume, head);
  const fields = {
    ...(isGiven(answer) ? { resume: answer } : {}),
    ...(isGiven(update) ? { update } : {}),
    ...(isGiven(goto) ? { goto: destinations(goto, library) } : {}),
  };
  return Object.keys(fields).length === 0 ? null : library.makeCommand(fields);
}

function isFalsyAnswer(command: Record<string, unknown> | undefined): boolean {
  const resume = command?.['resume'];
  return isGiven(resume) && !resume;
}

/** LangGraph.js ignores answers that are falsy ("approve: false") unless they name the question they answer. */
function answerFor(resume: unknown, head: CheckpointTuple | undefined): unknown {
  if (!isGiven(resume) || resume) return resume;
  const questions = (head?.pendingWrites ?? [])
    .filter(([, channel]) => channel === '__interrupt__')
    .flatMap(([, , value]) => (Array.isArray(value) ? value : [value]))
    .map(visibleInterrupt);
  const [question, ...others] = questions;
  if (typeof question?.id !== 'string' || others.length > 0) {
    const message = `Such an answer needs one waiting question; there are ${questions.length}.`;
    throw new GuestError('invalid_request', message);
  }
  return { [question.id]: resume };
}

/** A destination is a node's name, or `{node, input}` for a Send. */
function destinations(goto: unknown, library: LangGraphLibrary): unknown {
  if (Array.isArray(goto)) return goto.map((one) => destinations(one, library));
  if (!isRecord(goto) || typeof goto['node'] !== 'string') return goto;
  return library.makeSend(goto['node'], goto['input'] ?? null);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
