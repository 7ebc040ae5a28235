/** What a thread can go through, as it is recorded: `node server/test/histories/record.ts`. */
import { deferred } from '../fixtures/deferred.ts';
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
import { shortRunScenarios } from './short-run-scenarios.ts';

const held = heldRun();
const unfit = heldRun();
const long = heldRun();
/** Runs that end when they are cancelled. */
const cancelled = new Map(['r1', 'r2'].map((run) => [run, deferred()]));

/** A run of some saves reaches it. */
const EARLY = { activeEvents: 30 };

export const scenarios: Scenario[] = [
  {
    name: 'stateless-run',
    script: completed,
    async play(lab, thread) {
      await startStateless(lab, thread, ticket('r1'));
      await settled(lab, thread, 'r1');
    },
  },
  {
    name: 'queue-of-runs',
    script: completed,
    async play(lab, thread) {
      await start(lab, thread);
      const runs = ['r1', 'r2', 'r3'];
      await Promise.all(runs.map((run) => create(lab, thread, ticket(run))));
      for (const run of runs) await settled(lab, thread, run);
      await lab.threads.update(thread, 'patchMetadata', { metadata: { team: 'b' }, now: 2_000 });
      await lab.threads.update(thread, 'deleteRun', { runUuid: 'r2', now: 3_000 });
    },
  },
  {
    name: 'batches-then-crash-then-infra-then-end',
    async script(input) {
      if (input.attempt === 1) return result('crash', { ops: [save('1', { a: '1' })] });
      if (input.attempt === 2) return result('infra');
      return completed(input);
    },
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, ticket('r1', { restart: quick }));
      await settled(lab, thread, 'r1');
      await create(lab, thread, ticket('r2', { restart: { ...quick, maxAttempts: 0 } }));
      await settled(lab, thread, 'r2');
    },
  },
  {
    name: 'interrupt-and-resume',
    script: asksFirst,
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, ticket('r1'));
      await settled(lab, thread, 'r1');
      await create(lab, thread, ticket('r2', { isResume: true }));
      await settled(lab, thread, 'r2');
    },
  },
  {
    name: 'cancel-between-attempts-and-in-the-queue',
    script: (input) => (input.runUuid === 'r1' ? result('crash') : completed(input)),
    async play(lab, thread) {
      await start(lab, thread);
      const slow = { ...quick, initialBackoffMs: 60_000, maxBackoffMs: 60_000 };
      await create(lab, thread, ticket('r1', { restart: slow }));
      await create(lab, thread, ticket('r2'));
      await create(lab, thread, ticket('r3'));
      await lab.threads.update(thread, 'cancelRun', { runUuid: 'r2', now: 2_000 });
      await lab.threads.update(thread, 'cancelRun', { runUuid: 'r1', now: 2_000 });
      for (const run of ['r1', 'r2', 'r3']) await settled(lab, thread, run);
    },
  },
  {
    name: 'saves-of-a-long-run',
    script: long.script,
    async play(lab, thread) {
      await start(lab, thread, { maxCheckpointHistory: 2 });
      await create(lab, thread, ticket('r1'));
      for (const firstSeq of [1, 3, 5]) {
        const id = String(firstSeq);
        const ops = [save(id, { a: id }, { size: 3_000 }), write(id)];
        await lab.threads.update(thread, 'applyBatch', { runUuid: 'r1', attempt: 1, firstSeq, ops });
      }
      long.release();
      await settled(lab, thread, 'r1');
    },
  },
  {
    name: 'continues-while-active',
    script: held.script,
    marks: EARLY,
    async play(lab, thread) {
      await start(lab, thread);
      await create(lab, thread, ticket('r1'));
      await create(lab, thread, ticket('r2'));
      await saveUntilBegun(lab, thread, held, 3);
      held.release();
      for (const run of ['r1', 'r2']) await settled(lab, thread, run);
    },
  },
  {
    name: 'continues-between-attempts',
    marks: EARLY,
    script: (input) => (input.attempt === 1 ? result('crash') : completed(input)),
    async play(lab, thread) {
      await start(lab, thread);
      const slow = { ...quick, initialBackoffMs: 2_000, maxBackoffMs: 2_000 };
      await create(lab, thread, ticket('r1', { restart: slow }));
      for (let now = 2_000; now < 2_012; now += 1) {
        await lab.threads.update(thread, 'patchMetadata', { metadata: { at: `${now}` }, now });
      }
      await settled(lab, thread, 'r1');
    },
  },
  {
    name: 'does-not-fit',
    script: unfit.script,
    marks: EARLY,
    async play(lab, thread) {
      await start(lab, thread, { canPayloadBudgetBytes: 10_000 });
      await create(lab, thread, ticket('r1'));
      await create(lab, thread, ticket('r2'));
      for (let firstSeq = 1; firstSeq < 30; firstSeq += 1) {
        const ops = [save('1', { a: String(firstSeq) }, { size: 20_000 })];
        const batch = { runUuid: 'r1', attempt: 1, firstSeq, ops };
        const isRefused = await lab.threads.update(thread, 'applyBatch', batch).then(
          () => false,
          () => true,
        );
        if (isRefused) break;
      }
      for (const run of ['r1', 'r2']) await settled(lab, thread, run);
      unfit.release();
    },
  },
  {
    name: 'continues-after-a-cancelled-run',
    async script({ runUuid }) {
      await cancelled.get(runUuid)?.promise;
      return result('cancelled');
    },
    marks: { idleEvents: 20 },
    async play(lab, thread) {
      await start(lab, thread);
      for (const [runUuid, { resolve }] of cancelled) {
        await create(lab, thread, ticket(runUuid));
        for (let now = 2_000; now < 2_003; now += 1) {
          await lab.threads.update(thread, 'patchMetadata', { metadata: { at: `${now}` }, now });
        }
        await lab.threads.update(thread, 'cancelRun', { runUuid, now: 3_000 });
        resolve();
        await settled(lab, thread, runUuid);
      }
    },
  },
  {
    name: 'continues-between-refused-requests',
    script: completed,
    marks: { idleEvents: 12 },
    async play(lab, thread) {
      await start(lab, thread);
      for (let now = 2_000; now < 2_006; now += 1) {
        await lab.threads.update(thread, 'patchMetadata', { metadata: { at: `${now}` }, now });
        const refused = lab.threads.update(thread, 'deleteRun', { runUuid: 'none', now });
        await refused.catch(() => undefined);
      }
    },
  },
  ...shortRunScenarios,
];
