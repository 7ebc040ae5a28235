import { expect, it } from 'vitest';
import { result, save, thread, ticket } from '../../../test/fixtures/thread-builder.ts';
import { INDEXED_METADATA_PAIRS } from '../limits/limits.ts';
import {
  agentOf,
  agentToken,
  memoOf,
  metadataTokens,
  MORE_PAIRS,
  pairToken,
  runIndexOf,
} from './thread-index.ts';
import * as reducer from './thread-reducer.ts';
import { openThread } from './thread-state.ts';

it('gives every pair its own token, which is 14 lower-case letters and digits', () => {
  const tokens = metadataTokens({ a: 'b', b: 'a', ab: '', '': 'ab', 'a","b': '' });
  expect(new Set(tokens).size).toBe(5);
  for (const token of tokens) expect(token).toMatch(/^[0-9a-z]{14}$/);
  // In stored search attributes: it never changes.
  expect(pairToken('team', 'a')).toBe('024jxjq11og6x9');
});

it('stays below what the engine takes of one search attribute, and marks that there is more', () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key ${index}`, '']));
  const tokens = metadataTokens(many);
  expect(tokens).toHaveLength(INDEXED_METADATA_PAIRS + 1);
  expect(tokens.at(-1)).toBe(MORE_PAIRS);
  expect(JSON.stringify(tokens).length).toBeLessThan(2_048);
});

it('writes agents without what has a meaning in a visibility query', () => {
  expect(agentToken('chat-2.0_ü')).toBe('chat-2.0_ü');
  expect(agentToken(`my "agent's" \\100%♡`)).not.toMatch(/["'\\\s♡]/);
  for (const name of [`my "agent's" \\100%♡`, '%0020', 'a b']) {
    expect(agentOf(agentToken(name))).toBe(name);
  }
  expect(agentToken('a%20b')).not.toBe(agentToken('a b'));
});

it('knows the newest run, its agent, and that there was none', () => {
  const state = thread();
  expect(runIndexOf(state)).toEqual({ runStatus: 'none' });
  reducer.createRun(state, ticket('r1', { agentId: 'one' }));
  const run = reducer.activateNextRun(state);
  if (!run) throw new Error('nothing to activate');
  reducer.beginAttempt(run);
  expect(runIndexOf(state)).toEqual({ runStatus: 'running', agentId: 'one' });
  const ops = [save('1', {})];
  reducer.finishAttempt(state, run, result('interrupted', { ops }), 0);
  expect(runIndexOf(state)).toEqual({ runStatus: 'interrupted', agentId: 'one' });
});

it('keeps who created a thread, and what its start has reported', () => {
  const start = {
    kind: 'new' as const,
    threadId: 't',
    isEphemeral: false,
    createdAt: 1,
    metadata: { a: 'b' },
    settings: { maxCheckpointHistory: 1, maxRunHistory: 1, maxCheckpointBytes: 0 },
  };
  const state = openThread({ ...start, owner: 'ada' });
  expect(state).toMatchObject({
    owner: 'ada',
    publishedStatus: 'idle',
    publishedRun: { runStatus: 'none' },
  });
  expect(memoOf(state)).toEqual({ thread: { createdAt: 1, metadata: { a: 'b' }, owner: 'ada' } });
});
