import { expect, test } from 'vitest';
import type { HistoryEntry } from '../../../api/generated/types.gen.ts';
import { sourcesOf } from './message-source.ts';

function entry(number: number, ids: readonly string[], hasParent = true): HistoryEntry {
  const reference = (of: number) => ({
    thread_id: 't',
    checkpoint_id: `c${of}`,
    checkpoint_ns: '',
  });
  return {
    checkpoint: reference(number),
    values: { messages: ids.map((id) => ({ id })) },
    metadata: { run_id: `run-${number}` },
    created_at: new Date(number * 1_000).toISOString(),
    ...(hasParent && { parent_checkpoint: reference(number - 1) }),
  };
}

test('a message is of the first checkpoint that has it, and took the step before it', () => {
  const sources = sourcesOf([entry(3, ['a', 'b']), entry(2, ['a', 'b']), entry(1, ['a'], false)]);
  expect(sources.get('a')).toMatchObject({ checkpointId: 'c1', stepMs: undefined });
  expect(sources.get('b')).toMatchObject({ checkpointId: 'c2', runId: 'run-2', stepMs: 1_000 });
});

test('a message that the oldest known checkpoint has may be of an earlier one', () => {
  const sources = sourcesOf([entry(5, ['a', 'b']), entry(4, ['a'])]);
  expect([...sources.keys()]).toEqual(['b']);
  expect(sources.get('b')?.checkpointId).toBe('c5');
});
