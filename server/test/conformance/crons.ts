import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCrons } from '../../src/crons/open-crons.ts';
import type { CronContent, CronsPort } from '../../src/crons/port.ts';
import type { DatabaseSettings } from '../../src/database/open-database.ts';
import { jsonText } from '../../src/model/json.ts';

const ada = { sub: 'ada', mroles: ['r'], claims: { sub: 'ada', mroles: ['r'], team: 'x' } };
const content: CronContent = {
  ...{ assistantId: 'a1', onRunCompleted: 'keep', schedule: '0 12 * * *', isEnabled: true },
  ...{ timezone: 'Europe/Berlin', metadata: { a: 'ä' } },
  payload: jsonText('{"input":{"n":1.0}}'),
};
const { onRunCompleted: _, timezone: __, ...onThread } = { ...content, threadId: 't' };
const at = (time: string): number => Date.parse(time);
const NOON = at('2026-11-27T11:00:00Z'); // in Berlin
const all = { limit: 10, except: [] };

/** What crons are in every database. */
export function describeCrons(
  name: string,
  make: () => Promise<{ database: DatabaseSettings; remove(): Promise<void> }>,
): void {
  // oxlint-disable-next-line vitest/valid-title -- the database's own
  describe(name, () => {
    let made: Awaited<ReturnType<typeof make>>;
    let crons: CronsPort;
    beforeEach(async () => {
      made = await make();
      crons = openCrons(made.database, { maxCrons: 3, maxBytes: 1_000 });
      vi.useFakeTimers({ toFake: ['Date'], now: at('2026-11-27T09:00:00Z') });
    });
    afterEach(async () => {
      vi.useRealTimers();
      await crons.close();
      await made.remove();
    });

    it('is there after a restart, as it was made', async () => {
      const cron = await crons.create('a', ada, content);
      expect(cron).toMatchObject({ ...content, cronId: 'a', principal: ada, nextAt: NOON });
      await crons.create('b', ada, { ...onThread, endTime: at('2026-11-27T12:00:00Z') });
      await crons.close();
      crons = openCrons(made.database);
      expect(await crons.read('a')).toEqual(cron);
      expect(await crons.read('b')).toMatchObject({ threadId: 't', endTime: NOON + 3_600_000 });
      expect(await crons.read('c')).toBeUndefined();
    });

    it('is due at its time, and then at the next one', async () => {
      const cron = await crons.create('a', ada, content);
      expect(await crons.due(NOON - 1, all)).toEqual([]);
      expect(await crons.nextDue([])).toBe(NOON);
      expect(await crons.nextDue(['a'])).toBeUndefined();
      const [due] = await crons.due(NOON, all);
      expect(due).toEqual({ cron, at: NOON });
      expect(await crons.due(NOON, { ...all, except: ['a'] })).toEqual([]);
      if (due) await crons.advance(due);
      // Of two services, the second one changes nothing.
      if (due) await crons.advance(due);
      expect((await crons.read('a'))?.nextAt).toBe(at('2026-11-28T11:00:00Z'));
      expect(await crons.due(NOON, all)).toEqual([]);
    });

    it('is due once, at the newest of the times that were missed', async () => {
      await crons.create('a', ada, content);
      const [due] = await crons.due(at('2026-12-03T10:59:59Z'), all);
      expect(due?.at).toBe(at('2026-12-02T11:00:00Z'));
      if (due) await crons.advance(due);
      expect((await crons.read('a'))?.nextAt).toBe(at('2026-12-03T11:00:00Z'));
    });

    it('ends', async () => {
      const endTime = at('2026-11-29T00:00:00Z');
      await crons.create('a', ada, { ...content, endTime });
      const [due] = await crons.due(at('2026-12-03T00:00:00Z'), all);
      expect(due?.at).toBe(at('2026-11-28T11:00:00Z'));
      if (due) await crons.advance(due);
      expect(await crons.nextDue([])).toBeUndefined();
      expect(await crons.create('b', ada, { ...content, endTime: 0 })).not.toHaveProperty('nextAt');
    });

    it('is changed, which counts from then on', async () => {
      const { nextAt, ...cron } = await crons.create('a', ada, content);
      const [due] = await crons.due(NOON, all);
      vi.setSystemTime(at('2026-11-27T09:30:00Z'));
      const renamed = await crons.change('a', (one) => ({ ...one, metadata: { b: 1 } }));
      expect(renamed).toMatchObject({ metadata: { b: 1 }, nextAt, createdAt: cron.createdAt });
      if (due) await crons.advance(due);
      expect((await crons.read('a'))?.nextAt).toBe(nextAt);
      const hourly = await crons.change('a', (one) => ({ ...one, schedule: '0 * * * *' }));
      expect(hourly?.nextAt).toBe(at('2026-11-27T10:00:00Z'));
      const off = await crons.change('a', (one) => ({ ...one, isEnabled: false }));
      expect(off).not.toHaveProperty('nextAt');
      vi.setSystemTime(at('2026-11-29T09:30:00Z'));
      const on = await crons.change('a', (one) => ({ ...one, isEnabled: true }));
      expect(on?.nextAt).toBe(at('2026-11-29T10:00:00Z'));
      expect(await crons.change('none', (one) => one)).toBeUndefined();
    });

    it('is listed, the newest first, and deleted', async () => {
      await crons.create('a', ada, content);
      await crons.create('b', ada, { ...onThread, isEnabled: false });
      vi.setSystemTime(at('2026-11-27T09:30:00Z'));
      await crons.create('c', ada, { ...content, assistantId: 'a2' });
      const ids = async (filter: object): Promise<string> =>
        (await crons.list(filter)).map(({ cronId }) => cronId).join('');
      expect(await ids({})).toBe('cba');
      expect(await ids({ assistantId: 'a1' })).toBe('ba');
      expect(await ids({ threadId: 't' })).toBe('b');
      expect(await ids({ isEnabled: true })).toBe('ca');
      expect([await crons.delete('a'), await crons.delete('a')]).toEqual([true, false]);
    });

    it('has limits', async () => {
      const large = { ...content, metadata: { text: 'x'.repeat(1_000) } };
      const code = 'payload_too_large';
      await expect(crons.create('a', ada, large)).rejects.toMatchObject({ code });
      for (const id of ['a', 'b', 'c']) await crons.create(id, ada, content);
      const fourth = crons.create('d', ada, content);
      await expect(fourth).rejects.toMatchObject({ code: 'too_many_crons' });
    });

    it.each([
      [{ schedule: '61 * * * *' }, 'schedule'],
      [{ schedule: '* * * * * *' }, 'schedule'],
      [{ schedule: '2027-01-01T00:00:00' }, 'schedule'],
      [{ schedule: '0 0 30 2 *' }, 'schedule'],
      [{ schedule: '' }, 'schedule'],
      [{ timezone: 'Mars/Olympus' }, 'timezone'],
    ])('refuses %j', async (wrong, path) => {
      const refused = crons.create('a', ada, { ...content, ...wrong });
      const issues = [{ path, message: expect.any(String) as string }];
      await expect(refused).rejects.toMatchObject({ code: 'invalid_request', details: { issues } });
    });
  });
}
