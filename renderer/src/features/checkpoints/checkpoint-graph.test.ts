import { expect, test } from 'vitest';
import { layOutGraph, lineThrough } from './checkpoint-graph.ts';
import { checkpointStories } from './checkpoint-story.ts';
import { toCheckpoint, type Checkpoint } from './checkpoint.ts';
import { comparedPair, mark } from './marks.ts';
import { mergeNewest, mergeOlder } from './merge-history.ts';

interface Given {
  readonly ns?: string;
  readonly outer?: string;
  readonly next?: string[];
  readonly prints?: Record<string, number>;
  readonly step?: number;
}

function checkpoint(id: string, parent?: string, given: Given = {}): Checkpoint {
  return toCheckpoint({
    item: {
      checkpoint: { checkpoint_id: id, checkpoint_ns: given.ns ?? '' },
      ...(parent === undefined ? {} : { parent_checkpoint: { checkpoint_id: parent } }),
      metadata: {
        source: parent === undefined ? 'input' : 'loop',
        step: given.step ?? Number(id) - 2,
        parents: given.outer === undefined ? {} : { '': given.outer },
      },
      next_nodes: given.next ?? [],
      created_at: '2026-11-21T12:00:00Z',
    },
    size: 2,
    sizes: {},
    prints: given.prints ?? {},
  });
}

test('a straight history is one lane', () => {
  const history = [checkpoint('3', '2'), checkpoint('2', '1'), checkpoint('1')];
  const { rows, laneCount } = layOutGraph(history);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 0, 0]);
  expect(laneCount).toBe(1);
});

test('a fork has its own lane down to its origin', () => {
  const history = [
    checkpoint('5', '2'),
    checkpoint('4', '3'),
    checkpoint('3', '2'),
    checkpoint('2', '1'),
    checkpoint('1'),
  ];
  const { rows, laneCount } = layOutGraph(history);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 1, 1, 0, 0]);
  expect(rows[3]).toMatchObject({ joins: [1], below: [0] });
  expect(laneCount).toBe(2);
});

test('sub-graphs have lanes next to the root and start at the checkpoint around them', () => {
  const history = [
    checkpoint('5', '1'),
    checkpoint('4', '3', { ns: 'section:x', outer: '1' }),
    checkpoint('3', undefined, { ns: 'section:x', outer: '1' }),
    checkpoint('1', undefined, { step: -1 }),
  ];
  expect(layOutGraph(history).rows.map(({ lane, joins }) => [lane, joins])).toEqual([
    [0, []],
    [1, []],
    [1, []],
    [0, [1]],
  ]);
  expect(checkpointStories(history).get('5')?.nodes).toEqual(['section']);
});

test('a parent that is no longer retained cuts the line', () => {
  expect(layOutGraph([checkpoint('9', '8')]).rows[0]?.isCut).toBe(true);
});

test('the nodes of a checkpoint are the next nodes of its parent', () => {
  const history = [
    checkpoint('2', '1', { prints: { plan: 7, topic: 1 } }),
    checkpoint('1', undefined, { next: ['plan'], prints: { topic: 1 } }),
  ];
  expect(checkpointStories(history).get('2')).toEqual({
    nodes: ['plan'],
    changed: ['plan'],
    isLast: true,
  });
  expect(checkpointStories(history).get('1')).toEqual({
    nodes: [],
    changed: undefined,
    isLast: false,
  });
});

test('the line through a checkpoint continues to its newest descendant', () => {
  const history = [
    checkpoint('4', '2'),
    checkpoint('3', '2'),
    checkpoint('2', '1'),
    checkpoint('1'),
  ];
  expect(lineThrough(history, '3').map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(lineThrough(history, '2').map(({ id }) => id)).toEqual(['1', '2', '4']);
});

test('a newer page is put in front; what it no longer has is removed; a gap starts over', () => {
  const known = { checkpoints: ['3', '2', '1'].map((id) => checkpoint(id)), isComplete: true };
  const page = (...ids: string[]) => ({
    checkpoints: ids.map((id) => checkpoint(id)),
    isLast: false,
  });
  const ids = (history: { checkpoints: readonly Checkpoint[] }): string =>
    history.checkpoints.map(({ id }) => id).join(' ');
  expect(ids(mergeNewest(known, page('4', '3')))).toBe('4 3 2 1');
  expect(ids(mergeNewest(known, page('4', '2')))).toBe('4 2 1');
  expect(mergeNewest(known, page('6', '5'))).toMatchObject({ isComplete: false });
  expect(ids(mergeNewest(known, page('6', '5')))).toBe('6 5');
  expect(ids(mergeOlder({ ...known, isComplete: false }, page('1', '0')))).toBe('3 2 1 0');
});

test('space marks A, then B, then A again; the older of a pair comes first', () => {
  const none = { a: undefined, b: undefined };
  const first = mark(none, '5');
  const both = mark(first, '3');
  expect(both).toEqual({ a: '5', b: '3' });
  expect(mark(both, '4')).toEqual({ a: '4', b: undefined });
  expect(mark(both, '5')).toEqual({ a: '3', b: undefined });
  expect(comparedPair(both, '3', '2')).toEqual(['3', '5']);
  expect(comparedPair(both, '5', '4')).toEqual(['3', '5']);
  expect(comparedPair(first, '9', '8')).toEqual(['5', '9']);
  expect(comparedPair(none, '9', '8')).toEqual(['8', '9']);
  expect(comparedPair(none, '9', undefined)).toBeUndefined();
});

test('another step than A and B shows its own changes', () => {
  expect(comparedPair({ a: '5', b: '3' }, '9', '8')).toEqual(['8', '9']);
  expect(comparedPair({ a: '5', b: '3' }, '1', undefined)).toBeUndefined();
});
