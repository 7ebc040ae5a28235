import { expect, it } from 'vitest';
import { thread, ticket } from '../../../test/fixtures/thread-builder.ts';
import { reportThread } from './thread-read.ts';
import { createRun } from './thread-reducer.ts';

it('reports what is configurable of the newest run', () => {
  const state = thread();
  const configurable = { model: 'small' };
  createRun(state, ticket('a', { kwargs: { config: { configurable, tags: ['x'] } } }));
  expect(reportThread(state).configurable).toEqual(configurable);
  createRun(state, ticket('b', { kwargs: { stream_mode: ['updates'] } }));
  expect(reportThread(state)).not.toHaveProperty('configurable');
});
