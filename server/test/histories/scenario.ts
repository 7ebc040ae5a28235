/** What the scenarios of recorded histories are made of. */
import { setTimeout as pause } from 'node:timers/promises';
import { packFrame, toBytes, unpackFrame } from '../../src/model/frame.ts';
import type { ThreadId } from '../../src/model/ids.ts';
import type { RunTicket } from '../../src/model/run/run-record.ts';
import type { ThreadSettings } from '../../src/model/thread/thread-record.ts';
import type { AttemptInput, AttemptResult } from '../../src/model/thread/thread-wire.ts';
import { deferred } from '../fixtures/deferred.ts';
import type { EngineLab } from '../fixtures/engine-lab.ts';
import type { ContinueMarks } from '../fixtures/restless-bundle.ts';
import { result, save, threadSettings, write } from '../fixtures/thread-builder.ts';

/** The agent of a scenario: what each attempt of each run returns. */
export type Script = (input: AttemptInput) => Promise<AttemptResult> | AttemptResult;

export interface Scenario {
  name: string;
  script: Script;
  /** The first moments of its short runs; absent: it has none. */
  shortScript?: Script;
  /** When its threads change executions, otherwise than the product's. Histories replay with the same marks. */
  marks?: Partial<ContinueMarks>;
  play(lab: EngineLab, thread: ThreadId): Promise<void>;
}

/** What the threads of all scenarios are started with. */
const aboutThread = { kind: 'new', createdAt: 1_000, metadata: { team: 'a' } } as const;
/** One restart, at once. */
export const quick = { maxAttempts: 2, initialBackoffMs: 10, factor: 1, maxBackoffMs: 10 };

/** A run that saves once. */
export function completed(input: AttemptInput): AttemptResult {
  const id = `1-${input.runUuid}`;
  return result('completed', { ops: [save(id, { a: id }), write(id)], output: toBytes('{"a":1}') });
}

/** Starts the thread. */
export async function start(
  lab: EngineLab,
  threadId: ThreadId,
  changes: Partial<ThreadSettings> = {},
): Promise<void> {
  const settings = { ...threadSettings, ...changes };
  await lab.starter.start({ ...aboutThread, threadId, isEphemeral: false, settings });
}

/** Starts a stateless run on the thread. */
export async function startStateless(
  lab: EngineLab,
  threadId: ThreadId,
  firstRun: RunTicket,
): Promise<void> {
  const about = { ...aboutThread, threadId, settings: threadSettings };
  await lab.starter.start({ ...about, isEphemeral: true, firstRun });
}

/** Creates the run. */
export async function create(lab: EngineLab, thread: ThreadId, run: RunTicket): Promise<void> {
  await lab.threads.update(thread, 'createRun', run);
}

/** Asks until the run has settled; a scenario's runs take milliseconds. */
export async function settled(lab: EngineLab, thread: ThreadId, runUuid: string): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const response = await lab.threads.query<{ run?: { status: string } }>(thread, 'run', { runUuid });
    const status = response.run?.status ?? 'gone';
    if (status !== 'running' && status !== 'cancelling') return status;
    await pause(25);
  }
  throw new Error(`run ${runUuid} did not settle`);
}

/** The first run asks. */
export function asksFirst(input: AttemptInput): AttemptResult {
  if (input.runUuid !== 'r1') return completed(input);
  const interrupts = toBytes('[{"id":"i","value":"ok?"}]');
  return result('interrupted', { ops: [save('1', {})], output: toBytes('{}'), interrupts });
}

/** Saves of the run that is held, in the attempt in which its guest began, until a later one has begun. */
export async function saveUntilBegun(
  lab: EngineLab,
  thread: ThreadId,
  held: HeldRun,
  attempt: number,
): Promise<void> {
  for (let firstSeq = 1; held.begun < attempt; firstSeq += 1) {
    const ops = [save(String(firstSeq).padStart(4, '0'), { a: String(firstSeq) })];
    const batch = { runUuid: 'r1', attempt: 1, firstSeq, ops };
    await lab.threads.update(thread, 'applyBatch', batch);
  }
}

/** A run that waits until it is released. */
interface HeldRun {
  script: Script;
  /** The attempt that has begun last. */
  begun: number;
  release(): void;
}

/** A run whose attempts wait until they are released, and the number of the one that has begun last. */
export function heldRun(): HeldRun {
  const gate = deferred();
  const held = {
    begun: 0,
    release: gate.resolve,
    async script(input: AttemptInput) {
      if (input.runUuid !== 'r1') return completed(input);
      held.begun = input.attempt;
      await gate.promise;
      return result('completed', { firstSeq: 1_000, output: toBytes('{"a":1}') });
    },
  };
  return held;
}

/** The activity of a scenario. */
export function scriptedAgent(script: Script): (frame: Uint8Array) => Promise<Uint8Array> {
  return async (frame) => packFrame(await script(unpackFrame<AttemptInput>(frame)));
}
