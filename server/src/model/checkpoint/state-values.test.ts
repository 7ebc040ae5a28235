import { expect, it } from 'vitest';
import { nextNodes } from './state-values.ts';

it('names the nodes whose triggers have a value', () => {
  const versions = { messages: '00000003.a', 'branch:to:search': '00000003.b', __start__: '1' };
  expect(nextNodes(versions)).toEqual(['search']);
});

it('names none at the end', () => {
  expect(nextNodes({ messages: '00000004.c' })).toEqual([]);
});
