import { expect, it } from 'vitest';
import { jsonText } from '../../model/json.ts';
import { openTranslation } from './stream-translation.ts';

const config = (id: string) => ({
  configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id, secret: 'internal' },
  callbacks: [],
});
const named = (id: string) => ({ thread_id: 't', checkpoint_ns: '', checkpoint_id: id });

function translated(mode: string, data: unknown, isJavaScript = false): unknown[] {
  const translate = openTranslation({ modes: undefined, isJavaScript });
  const event = { id: 1, mode, ns: '', data: jsonText(JSON.stringify(data)) };
  return translate(event).map(({ data: text }) => JSON.parse(text) as unknown);
}

it('names a checkpoint by its config and by a reference, without what is internal', () => {
  const checkpoint = { config: config('2'), parent_config: config('1'), next: ['a'] };
  const shown = {
    config: { configurable: named('2') },
    parent_config: { configurable: named('1') },
    next: ['a'],
    checkpoint: named('2'),
    parent_checkpoint: named('1'),
  };
  expect(translated('checkpoints', checkpoint)).toEqual([shown]);
  const { parent_config: parentConfig, ...rest } = checkpoint; // as LangGraph.js has it
  expect(translated('checkpoints', { ...rest, parentConfig }, true)).toEqual([shown]);
  const debug = { type: 'checkpoint', step: 1, payload: checkpoint };
  expect(translated('debug', debug)).toEqual([{ ...debug, payload: shown }]);
  const first = { config: config('1'), parent_config: null };
  expect(translated('checkpoints', first)).toMatchObject([
    { parent_config: null, parent_checkpoint: null },
  ]);
});

it('has questions without the state, and interrupts of tasks that begin, for JavaScript alone', () => {
  const asked = { n: 1, __interrupt__: [] };
  expect(translated('values', asked)).toEqual([asked]);
  expect(translated('values', asked, true)).toEqual([{ __interrupt__: [] }]);
  expect(translated('values', { n: 1 }, true)).toEqual([{ n: 1 }]);
  const task = { event: 'start', name: 'a' };
  expect(translated('tasks', task)).toEqual([task]);
  expect(translated('tasks', task, true)).toEqual([{ ...task, interrupts: [] }]);
});
