import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DatabaseSettings } from '../../src/database/open-database.ts';
import type { RunUuid, ThreadId } from '../../src/model/ids.ts';
import { openOutbox } from '../../src/webhooks/open-outbox.ts';
import type { NewWebhook, OutboxPort } from '../../src/webhooks/port.ts';

const hook = (run: string): NewWebhook => ({
  threadId: 't' as ThreadId, // as a request would bring them
  runUuid: run as RunUuid,
  url: 'https://hook.example/a',
  principal: { sub: 'ada', mroles: [], claims: { sub: 'ada' } },
});
const NOW = Date.parse('2026-11-27T09:00:00Z');

/** What the outbox is in every database. */
export function describeOutbox(
  name: string,
  make: () => Promise<{ database: DatabaseSettings; remove(): Promise<void> }>,
): void {
  // oxlint-disable-next-line vitest/valid-title -- the database's own
  describe(name, () => {
    let made: Awaited<ReturnType<typeof make>>;
    let outbox: OutboxPort;
    beforeEach(async () => {
      made = await make();
      outbox = openOutbox(made.database, 3);
      vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    });
    afterEach(async () => {
      vi.useRealTimers();
      await outbox.close();
      await made.remove();
    });

    it('gives each webhook to one taker, also after a restart', async () => {
      const added = [await outbox.add(hook('a')), await outbox.add(hook('a'))];
      expect(added).toEqual([true, false]);
      expect(await outbox.take(NOW, NOW + 1_000, 10)).toEqual([]);
      const due = await outbox.nextDue();
      expect(due).toBe(NOW + 5_000);
      await outbox.close();
      outbox = openOutbox(made.database);
      const until = NOW + 60_000;
      const both = await Promise.all([0, 1].map(() => outbox.take(NOW + 5_000, until, 10)));
      const [taken, ...others] = both.flat();
      expect(others).toEqual([]);
      expect(taken).toMatchObject({ ...hook('a'), tries: 0, createdAt: NOW, nextAt: until });
      if (taken) await outbox.finish(taken);
      expect(await outbox.nextDue()).toBeUndefined();
    });

    it('leaves what was taken to others when its time is over', async () => {
      await outbox.add(hook('a'));
      await outbox.take(NOW + 5_000, NOW + 60_000, 10);
      expect(await outbox.take(NOW + 59_999, NOW + 90_000, 10)).toEqual([]);
      expect(await outbox.take(NOW + 60_000, NOW + 90_000, 10)).toHaveLength(1);
    });

    it('takes one back with what it has been through', async () => {
      await outbox.add(hook('a'));
      const [taken] = await outbox.take(NOW + 5_000, NOW + 60_000, 10);
      const next = { tries: 1, triedAt: NOW + 5_000, nextAt: NOW + 10_000 };
      if (taken) await outbox.putBack(taken, next);
      expect(await outbox.take(NOW + 10_000, NOW + 70_000, 10)).toMatchObject([
        { tries: 1, triedAt: NOW + 5_000 },
      ]);
    });

    it('is due at once when its run ends, also while it is looked at', async () => {
      await outbox.add(hook('a'));
      await outbox.add(hook('b'));
      const [{ threadId, runUuid }] = [hook('a')];
      await outbox.hasten(threadId, runUuid);
      const [taken] = await outbox.take(NOW, NOW + 60_000, 10);
      expect(taken?.runUuid).toBe('a');
      await outbox.hasten(threadId, runUuid);
      if (taken) await outbox.putBack(taken, { tries: 0, nextAt: NOW + 30_000 });
      expect(await outbox.take(NOW, NOW + 60_000, 10)).toHaveLength(1);
    });

    it('has a limit, and removes those of runs that were not made', async () => {
      for (const run of ['a', 'b', 'c']) await outbox.add(hook(run));
      await expect(outbox.add(hook('d'))).rejects.toMatchObject({ code: 'too_many_webhooks' });
      await outbox.remove(hook('a').threadId, hook('a').runUuid);
      await outbox.add(hook('d'));
      expect(await outbox.take(NOW + 5_000, NOW + 60_000, 2)).toHaveLength(2);
    });
  });
}
