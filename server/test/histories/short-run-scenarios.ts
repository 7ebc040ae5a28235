/** Runs that begin within the workflow task that accepts them (`activities/short-run.ts`). */
import { toBytes } from '../../src/model/frame.ts';
import type { RunTicket } from '../../src/model/run/run-record.ts';
import type { AttemptInput, AttemptResult } from '../../src/model/thread/thread-wire.ts';
import { result, save, threadSettings, ticket, write } from '../fixtures/thread-builder.ts';
import {
  aboutThread,
  completed,
  create,
  heldRun,
  quick,
  type Scenario,
  settled,
  start,
} from './scenario.ts';

const short = (runUuid: string, changes: Partial<RunTicket> = {}): RunTicket =>
  ticket(runUuid, { isShort: true, ...changes });

const continues = (): AttemptResult => result('continues');

/** The first run asks. */
function asksFirst(input: AttemptInput): AttemptResult {
  if (input.runUuid !== 'r1') return completed(input);
  const interrupts = toBytes('[{"id":"i","value":"ok?"}]');
  return result('interrupted', { ops: [save('1', {})], output: toBytes('{}'), interrupts });
}

const lasting = heldRun();
const first = heldRun();
const cancelled = heldRun();

export const shortRunScenarios: Scenario[] = [
  {
    name: 'short-run',
    script: completed,
    shortScript: completed,
    async play(lab, thread) {
      await start(lab, thread);
      for (const run of ['r1', 'r2']) await create(lab, thread, short(run));
      await lab.threads.update(thread, 'patchMetadata', { metadata: { team: 'b' }, now: 2_000 });
    },
  },
  {
    name: 'short-stateless-run',
    script: completed,
    shortScript: completed,
    async play(lab, thread) {
      const about = { ...aboutThread, threadId: thread, settings: threadSettings };
      await lab.starter.start({ ...about, isEphemeral: true, firstRun: short('r1') });
      await lab.starter.untilEnd(thread);
    },
  },
  {
    name: 'stateless-run-outlasts-its-task',
    script: completed,
    shortScript: continues,
    async play(lab, thread) {
      const about = { ...aboutThread, threadId: thread, settings: threadSettings };
      await lab.starter.start({ ...about, isEphemeral: true, firstRun: short('r1') });
      await lab.starter.untilEnd(thread);
    },
  },
  {
    name: 'short-run-outlasts-its-task',
    script: lasting.script,
    shortScript: continues,
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, short('r1'));
      for (const firstSeq of [1, 3]) {
        const id = String(firstSeq);
        const ops = [save(id, { a: id }), write(id)];
        await lab.threads.update(thread, 'applyBatch', { runUuid: 'r1', attempt: 1, firstSeq, ops });
      }
      lasting.release();
      await settled(lab, thread, 'r1');
      await create(lab, thread, short('r2'));
      await settled(lab, thread, 'r2');
    },
  },
  {
    name: 'short-runs-change-executions',
    script: completed,
    shortScript: (input) => (input.runUuid.endsWith('3') ? continues() : completed(input)),
    marks: { idleEvents: 30 },
    async play(lab, thread) {
      await start(lab, thread);
      for (let run = 1; run <= 12; run += 1) await create(lab, thread, short(`r${run}`));
      await settled(lab, thread, 'r12');
    },
  },
  {
    name: 'short-run-outlasts-its-execution',
    script: first.script,
    shortScript: continues,
    marks: { activeEvents: 30 },
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, short('r1'));
      // The attempt in which the invocation began stays its fence.
      for (let firstSeq = 1; first.begun < 3; firstSeq += 1) {
        const ops = [save(String(firstSeq).padStart(4, '0'), { a: String(firstSeq) })];
        const batch = { runUuid: 'r1', attempt: 1, firstSeq, ops };
        await lab.threads.update(thread, 'applyBatch', batch);
      }
      first.release();
      await settled(lab, thread, 'r1');
    },
  },
  {
    name: 'short-run-asks-and-is-answered',
    script: asksFirst,
    shortScript: asksFirst,
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, short('r1'));
      await create(lab, thread, short('r2', { isResume: true }));
      await settled(lab, thread, 'r2');
    },
  },
  {
    name: 'short-run-beside-another',
    script: cancelled.script,
    shortScript: completed,
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, ticket('r1'));
      await create(lab, thread, short('r2'));
      await create(lab, thread, short('r3', { multitask: 'interrupt' }));
      cancelled.release();
      for (const run of ['r1', 'r2', 'r3']) await settled(lab, thread, run);
      await create(lab, thread, short('r4', { multitask: 'rollback' }));
      await settled(lab, thread, 'r4');
    },
  },
  {
    name: 'short-run-is-lost-and-repeated',
    script: completed,
    shortScript: (input) =>
      input.runUuid === 'r1'
        ? result('crash', { ops: [save('1', { a: '1' })] })
        : result('detached'),
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, short('r1', { restart: quick }));
      await settled(lab, thread, 'r1');
      await create(lab, thread, short('r2', { restart: quick }));
      await settled(lab, thread, 'r2');
    },
  },
];
