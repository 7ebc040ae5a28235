import { expect, it } from 'vitest';
import type { ThreadId } from '../../model/ids.ts';
import { ThreadOwners } from './thread-owners.ts';

const id = (name: string): ThreadId => name as ThreadId;

/** The existing owners, and how often they were read. */
function threads(isRemembered: boolean) {
  const there = new Map<ThreadId, string>();
  const asked: ThreadId[] = [];
  const owners = new ThreadOwners((threadId) => {
    asked.push(threadId);
    const owner = there.get(threadId);
    return owner === undefined ? Promise.reject(new Error('gone')) : Promise.resolve(owner);
  }, isRemembered);
  return { there, asked, owners };
}

it('asks once, and again once the thread was removed', async () => {
  const { there, asked, owners } = threads(true);
  there.set(id('a'), 'ada');
  expect([await owners.ownerOf(id('a')), await owners.ownerOf(id('a'))]).toEqual(['ada', 'ada']);
  expect(asked).toEqual(['a']);
  await owners.removing(id('a'), async () => void there.delete(id('a')));
  await expect(owners.ownerOf(id('a'))).rejects.toThrow('gone');
  there.set(id('a'), 'bob');
  expect(await owners.ownerOf(id('a'))).toBe('bob');
});

it('does not remember what was read while a thread was removed', async () => {
  const { there, owners } = threads(true);
  there.set(id('a'), 'ada');
  const reading = owners.ownerOf(id('a'));
  await owners.removing(id('a'), async () => void there.set(id('a'), 'bob'));
  await reading;
  expect(await owners.ownerOf(id('a'))).toBe('bob');
});

it('asks each time once a thread was to be removed, until it is gone', async () => {
  const { there, owners } = threads(true);
  there.set(id('a'), 'ada');
  // The engine did not report in time that it is gone, and removes it later.
  const removal = owners.removing(id('a'), () => Promise.reject(new Error('too late')));
  await expect(removal).rejects.toThrow('too late');
  expect(await owners.ownerOf(id('a'))).toBe('ada');
  there.set(id('a'), 'bob');
  expect(await owners.ownerOf(id('a'))).toBe('bob');
});

it('asks each time where other processes remove threads', async () => {
  const { there, owners } = threads(false);
  there.set(id('a'), 'ada');
  await owners.ownerOf(id('a'));
  there.set(id('a'), 'bob');
  expect(await owners.ownerOf(id('a'))).toBe('bob');
});

it('remembers ten thousand', async () => {
  const { there, asked, owners } = threads(true);
  for (let index = 0; index <= 10_000; index += 1) there.set(id(`${index}`), 'ada');
  for (const threadId of there.keys()) await owners.ownerOf(threadId);
  asked.splice(0);
  await owners.ownerOf(id('10000'));
  await owners.ownerOf(id('0'));
  expect(asked).toEqual(['0']);
});
