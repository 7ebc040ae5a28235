/** @module-tag release */
/** Takes seconds because a real guest is stopped, and nothing but time shows that it does not continue. */
import process from 'node:process';
import { expect, test } from 'vitest';
import { startDurableService } from '../fixtures/durable-service.ts';
import { ledgerEntry } from '../fixtures/ledger.ts';
import { limitOf, playRounds, requireInterrupted } from './rounds.ts';
import { setStage } from './stage.ts';
import { expectWhole, isUnfinished, startSteps } from './step-run.ts';

const stage = setStage({
  startService: (options) =>
    startDurableService({ ...options, environment: { SERVICE_GUEST_STUCK_AFTER: '3s' } }),
});

test(
  'runs of a guest that is stopped complete on other guests, restarted as INFRA',
  async () => {
    await playRounds('stopped guests', async ({ language }) => {
      const { folder, url } = stage;
      const options = { folder, language, total: 6, pauseMs: 500, durability: 'sync' } as const;
      const runs = await Promise.all([startSteps(url, options), startSteps(url, options)]);
      const begun = await Promise.all(
        runs.map(({ ledger }) => ledgerEntry(ledger, 'a first step', () => true)),
      );
      const [first, second] = begun;
      process.kill(first?.pid ?? 0, 'SIGSTOP');
      const stoppedAt = performance.now();
      const wereAtWork = runs.every(isUnfinished) && first?.pid === second?.pid;
      const finals = await Promise.all(runs.map((run) => expectWhole(url, run)));
      requireInterrupted(wereAtWork, 'both runs were over, or on separate guests');
      for (const final of finals) {
        expect(final).toMatchObject({ attempt: 2, last_failure: 'INFRA' });
      }
      const name = { py: 'python', ts: 'javascript' }[language];
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toMatch(new RegExp(`service_guests_stuck_total{language="${name}"} [1-9]`));
      expect(stage.service.output()).toContain('a guest gave no sign of life and is killed');
      return performance.now() - stoppedAt;
    });
  },
  limitOf(),
);
