import { expect, test } from 'vitest';
import { bodyOf, draftOf, emptyDraft } from './composer-draft.ts';

test('an empty draft requests everything that the inspector shows, and nothing else', () => {
  expect(bodyOf(emptyDraft('chat'))).toEqual({
    body: {
      agent_id: 'chat',
      input: {},
      stream_mode: ['values', 'updates', 'messages', 'custom', 'tasks', 'calls', 'lifecycle'],
      stream_subgraphs: true,
    },
  });
});

test('a sent request survives being a draft', () => {
  const sent = {
    agent_id: 'approval',
    input: { order: 'A', amount: 7 },
    context: { tone: 'warm' },
    config: { tags: ['a'], recursion_limit: 9, configurable: { mood: 'good' } },
    metadata: { why: 'test' },
    stream_mode: ['values'],
    stream_subgraphs: true,
    interrupt_before: ['ask'],
    interrupt_after: '*',
    checkpoint: { checkpoint_id: 'c', checkpoint_ns: '' },
    multitask_strategy: 'reject',
    durability: 'sync',
  };
  expect(bodyOf(draftOf('chat', sent))).toEqual({ body: sent });
  const resumed = {
    agent_id: 'a',
    command: { resume: true },
    stream_mode: ['values'],
    stream_subgraphs: true,
  };
  expect(bodyOf(draftOf('a', resumed))).toEqual({ body: resumed });
  // Without members it means the defaults, an absent one the context of the previous run.
  const defaulted = { ...resumed, context: {} };
  expect(bodyOf(draftOf('a', defaulted))).toEqual({ body: defaulted });
  const continued = { agent_id: 'a', input: null, stream_mode: ['values'], stream_subgraphs: true };
  expect(bodyOf(draftOf('a', continued))).toEqual({ body: continued });
});

test('incomplete JSON is a problem of its part', () => {
  const draft = {
    ...emptyDraft('chat'),
    input: { value: {}, isText: true, text: '{"a":' },
    context: { value: { tone: 'warm' }, isText: true, text: '"warm"' },
    metadataText: '[1]',
  };
  const result = bodyOf(draft);
  expect('problems' in result && Object.keys(result.problems)).toEqual([
    'input',
    'metadata',
    'context',
  ]);
});

test('an input is any JSON, and survives being a draft', () => {
  for (const input of ['a text', '', [1], 0, false]) {
    const sent = { agent_id: 'a', input, stream_mode: ['values'], stream_subgraphs: true };
    expect(bodyOf(draftOf('a', sent))).toEqual({ body: sent });
  }
});
