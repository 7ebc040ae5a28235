/** Runs that begin within the workflow task that accepts them (`activities/short-run.ts`). */
import type { RunTicket } from '../../src/model/run/run-record.ts';
import type { AttemptResult } from '../../src/model/thread/thread-wire.ts';
import { result, save, ticket, write } from '../fixtures/thread-builder.ts';
import {
  asksFirst,
  completed,
  create,
  heldRun,
  quick,
  saveUntilBegun,
  type Scenario,
  settled,
  start,
  startStateless,
} from './scenario.ts';

const short = (runUuid: string, changes: Partial<RunTicket> = {}): RunTicket =>
  ticket(runUuid, { isShort: true, ...changes });

const continues = (): AttemptResult => result('continues');

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
      await startStateless(lab, thread, short('r1'));
      await lab.starter.untilEnd(thread);
    },
  },
  {
    name: 'stateless-run-outlasts-its-task',
    script: completed,
    shortScript: continues,
    async play(lab, thread) {
      await startStateless(lab, thread, short('r1'));
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
      await saveUntilBegun(lab, thread, first, 3);
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
