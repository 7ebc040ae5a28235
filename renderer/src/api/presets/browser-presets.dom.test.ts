import { expect, test } from 'vitest';
import { useBrowserPresets } from './browser-presets.ts';

test('presets of an earlier studio stay, as far as their texts are JSON', async () => {
  const written = { value: { tone: 'warm' }, isText: false, text: '' };
  const of = { service: 'http://here', agentId: 'chat' };
  const old = [
    { ...of, name: 'A', context: written, configurableText: '{"n": 1}', tags: ['x'] },
    { ...of, name: 'B', context: { ...written, isText: true, text: '{"tone": "cold"}' } },
    { ...of, name: 'C', configurableText: '{"n":', tags: 'x', recursionLimit: 9 },
    { name: 'not one' },
  ];
  const state = { presets: old };
  localStorage.setItem('studio-presets', JSON.stringify({ state, version: 0 }));
  await useBrowserPresets.persist.rehydrate();
  expect(useBrowserPresets.getState().presets).toEqual([
    {
      ...of,
      name: 'A',
      context: { tone: 'warm' },
      config: { configurable: { n: 1 }, tags: ['x'] },
    },
    { ...of, name: 'B', context: { tone: 'cold' }, config: {} },
    { ...of, name: 'C', context: {}, config: { recursion_limit: 9 } },
  ]);
});
