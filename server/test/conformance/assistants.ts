import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAssistants } from '../../src/assistants/open-assistants.ts';
import type { AssistantContent, AssistantsPort } from '../../src/assistants/port.ts';
import type { DatabaseSettings } from '../../src/database/open-database.ts';

const content: AssistantContent = {
  ...{ agentId: 'chat', name: 'Poet', description: 'writes' },
  ...{ config: { tags: ['x'] }, context: {}, metadata: { a: '\0' } },
};

/** What assistants are in every database. */
export function describeAssistants(
  name: string,
  make: () => Promise<{ database: DatabaseSettings; remove(): Promise<void> }>,
): void {
  // oxlint-disable-next-line vitest/valid-title -- the database's own
  describe(name, () => {
    let made: Awaited<ReturnType<typeof make>>;
    let assistants: AssistantsPort;
    beforeEach(async () => {
      made = await make();
      assistants = openAssistants(made.database, { maxAssistants: 3, maxVersions: 4 });
    });
    afterEach(async () => {
      await assistants.close();
      await made.remove();
    });

    it('is there after a restart, with its versions', async () => {
      const first = await assistants.create('a', 'ada', content);
      expect(first).toMatchObject({ assistantId: 'a', owner: 'ada', version: 1, ...content });
      await assistants.change('a', (current) => ({ ...current, name: 'Critic' }));
      await assistants.close();
      assistants = openAssistants(made.database);
      const read = await assistants.read('a');
      expect(read).toMatchObject({ ...content, name: 'Critic', version: 2, owner: 'ada' });
      expect(read?.createdAt).toBe(first?.createdAt);
      const versions = await assistants.versions('a');
      expect(versions.map((one) => [one.version, one.name])).toEqual([
        [2, 'Critic'],
        [1, 'Poet'],
      ]);
      expect(await assistants.setVersion('a', 1)).toMatchObject({ version: 1, name: 'Poet' });
      expect(await assistants.setVersion('a', 3)).toBeUndefined();
    });

    it('has one assistant of an id, also of two that are made at once', async () => {
      const both = ['ada', 'bob'].map((owner) => assistants.create('a', owner, content));
      const owners = (await Promise.all(both)).flatMap((one) => one?.owner ?? []);
      expect(owners).toHaveLength(1);
      expect((await assistants.read('a'))?.owner).toBe(owners[0]);
    });

    it('loses none of the changes that are made at once', async () => {
      await assistants.create('a', 'ada', content);
      const changes = ['b', 'c', 'd'].map((key) =>
        assistants.change('a', (current) => ({
          ...current,
          metadata: { ...current.metadata, [key]: 1 },
        })),
      );
      await Promise.all(changes);
      expect(await assistants.read('a')).toMatchObject({
        version: 4,
        metadata: { a: '\0', b: 1, c: 1, d: 1 },
      });
      const more = assistants.change('a', (current) => current);
      await expect(more).rejects.toMatchObject({ code: 'too_many_assistants' });
    });

    it('lists the newest first, by agent and part of the name, up to its limit', async () => {
      await assistants.create('a', 'ada', content);
      await assistants.create('b', 'ada', { ...content, name: 'Ärztin' });
      await assistants.create('c', 'ada', { ...content, agentId: 'search' });
      const ids = async (filter: object): Promise<string[]> =>
        (await assistants.list(filter)).map(({ assistantId }) => assistantId);
      expect((await ids({})).toSorted()).toEqual(['a', 'b', 'c']);
      expect(await ids({ agentId: 'search' })).toEqual(['c']);
      expect(await ids({ name: 'ärz' })).toEqual(['b']);
      const fourth = assistants.create('d', 'ada', content);
      await expect(fourth).rejects.toMatchObject({ code: 'too_many_assistants' });
      expect([await assistants.delete('a'), await assistants.delete('a')]).toEqual([true, false]);
      expect(await assistants.versions('a')).toEqual([]);
      expect(await assistants.create('d', 'ada', content)).toBeDefined();
    });
  });
}
