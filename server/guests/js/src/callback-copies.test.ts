import { CallbackManager } from '@langchain/core/callbacks/manager';
import { expect, it } from 'vitest';
import { shareCopiedMetadata } from './callback-copies.ts';

function manager(): CallbackManager {
  const made = new CallbackManager('parent');
  made.addHandler({ name: 'one' } as never); // all that copies read of it
  made.addTags(['inherited']);
  made.addTags(['own'], false);
  made.addMetadata({ inherited: 1, replaced: 1 });
  made.addMetadata({ own: 2, replaced: 2 }, false);
  return made;
}
const plain = manager().copy([{ name: 'two' } as never], false); // before
shareCopiedMetadata(CallbackManager);

it('copies are what they were', () => {
  expect(manager().copy([{ name: 'two' } as never], false)).toEqual(plain);
  expect(plain.inheritableMetadata).toEqual({ inherited: 1, replaced: 2 });
});

it('a copy changes alone', () => {
  const original = manager();
  const added = original.copy();
  added.addMetadata({ more: 3 });
  const removed = original.copy();
  removed.removeMetadata({ inherited: 1 });
  expect(added.metadata).toEqual({ inherited: 1, replaced: 2, own: 2, more: 3 });
  expect(removed.metadata).toEqual({ replaced: 2, own: 2 });
  expect(original).toEqual(manager());
});
