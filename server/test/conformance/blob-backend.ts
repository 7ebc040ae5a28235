import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BlobBackend } from '../../src/storage/blob-backend.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function collected(items: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const item of items) all.push(item);
  return all.sort();
}

/** What every backend of the external checkpoint storage does. `longestId`: what the server behind it takes. */
export function describeBlobBackend(
  name: string,
  open: () => BlobBackend,
  { longestId = 200 } = {},
): void {
  describe(`external checkpoint storage in ${name}`, () => {
    it('gives back what was put, of every size', async () => {
      const threadId = randomUUID();
      for (const size of [0, 1, 65_536, 6 * 1_024 * 1_024]) {
        const bytes = new Uint8Array(size).fill(7);
        await open().put(threadId, hashOf(bytes), bytes);
        const read = await open().get(threadId, hashOf(bytes));
        expect(read && hashOf(read)).toBe(hashOf(bytes));
      }
    });

    it('knows objects by thread and hash', async () => {
      const threadId = randomUUID();
      const bytes = bytesOf('kept');
      await open().put(threadId, hashOf(bytes), bytes);
      expect(await open().get(randomUUID(), hashOf(bytes))).toBeUndefined();
      expect(await open().get(threadId, hashOf(bytesOf('other')))).toBeUndefined();
    });

    it('reads, writes and removes nothing whose name is no hash', async () => {
      const threadId = randomUUID();
      const damaged = expect.objectContaining({ code: 'checkpoint_damaged' });
      for (const hash of ['/dev/zero', '../../engine.json', '..', '', 'A'.repeat(64)]) {
        await expect(open().get(threadId, hash)).rejects.toEqual(damaged);
        await expect(open().put(threadId, hash, bytesOf('x'))).rejects.toEqual(damaged);
        await expect(open().remove(threadId, hash)).rejects.toEqual(damaged);
      }
      expect(await open().list(threadId)).toEqual([]);
    });

    it('lists the objects of a thread with their age, and makes one young that is put again', async () => {
      const threadId = randomUUID();
      const [one, two] = [bytesOf('one'), bytesOf('two')];
      for (const bytes of [one, two, one]) await open().put(threadId, hashOf(bytes), bytes);
      const listed = await open().list(threadId);
      expect(listed.map(({ hash }) => hash).sort()).toEqual([hashOf(one), hashOf(two)].sort());
      for (const { ageMs } of listed) expect(ageMs).toBeLessThan(60_000);
      expect(await open().list(randomUUID())).toEqual([]);
    });

    it('removes one object, and what does not exist as well', async () => {
      const threadId = randomUUID();
      const [one, two] = [bytesOf('one'), bytesOf('two')];
      for (const bytes of [one, two]) await open().put(threadId, hashOf(bytes), bytes);
      for (let time = 0; time < 2; time += 1) await open().remove(threadId, hashOf(one));
      expect((await open().list(threadId)).map(({ hash }) => hash)).toEqual([hashOf(two)]);
    });

    it('leaves nothing of a thread whose last object went, and nothing else alone', async () => {
      const threadId = randomUUID();
      const bytes = bytesOf('one');
      await open().put(threadId, hashOf(bytes), bytes);
      await open().removeThread(threadId);
      expect(await open().list(threadId)).toHaveLength(1);
      await open().remove(threadId, hashOf(bytes));
      await open().removeThread(threadId);
      expect(await collected(open().listThreads())).not.toContain(threadId);
    });

    it('takes every thread id, and distinguishes those that differ in case alone', async () => {
      const prefix = randomUUID();
      const ids = [
        'a',
        'A',
        '.a',
        'a.',
        '_61',
        'a:b~c-d',
        'Z'.repeat(longestId - prefix.length),
      ].map((end) => `${prefix}${end}`);
      for (const [index, id] of ids.entries()) {
        const bytes = bytesOf(`${index}`);
        await open().put(id, hashOf(bytes), bytes);
      }
      const listed = await collected(open().listThreads());
      expect(listed.filter((id) => id.startsWith(prefix))).toEqual([...ids].sort());
      for (const id of ids) expect(await open().list(id)).toHaveLength(1);
    });

    it('finds a thread whose id looks like the name of an object', async () => {
      const bytes = bytesOf('one');
      const threadId = hashOf(bytesOf(randomUUID()));
      await open().put(threadId, hashOf(bytes), bytes);
      expect(await collected(open().listThreads())).toContain(threadId);
    });

    it('keeps a mark', async () => {
      expect(await open().readMark()).toBeUndefined();
      await open().writeMark('one');
      await open().writeMark('two');
      expect(await open().readMark()).toBe('two');
    });
  });
}
