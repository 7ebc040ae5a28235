import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { projectJson } from './json-projection.ts';

describe('projectJson', () => {
  it('gives messages the form of LangGraph, wherever they are', () => {
    const state = {
      messages: [new HumanMessage({ content: 'hi', id: 'm1' })],
      last: new AIMessage('yes'),
    };
    expect(JSON.parse(projectJson(state))).toEqual({
      messages: [
        { type: 'human', content: 'hi', id: 'm1', additional_kwargs: {}, response_metadata: {} },
      ],
      last: {
        type: 'ai',
        content: 'yes',
        additional_kwargs: {},
        response_metadata: {},
        tool_calls: [],
        invalid_tool_calls: [],
      },
    });
  });

  it('gives every other value a form that JSON has', () => {
    const values = {
      when: new Date('2026-01-02T03:04:05Z'),
      map: new Map([['a', 1]]),
      pairs: new Map([[1, 'a']]),
      set: new Set([1, 2]),
      big: 2n ** 70n,
      bytes: new Uint8Array([1, 2, 3]),
      error: new TypeError('no'),
      pattern: /a+/g,
      nothing: undefined,
      call: () => 1,
    };
    expect(JSON.parse(projectJson(values))).toEqual({
      when: '2026-01-02T03:04:05.000Z',
      map: { a: 1 },
      pairs: [[1, 'a']],
      set: [1, 2],
      big: '1180591620717411303424',
      bytes: 'AQID',
      error: { name: 'TypeError', message: 'no' },
      pattern: '/a+/g',
    });
  });

  it('never throws: cycles, throwing getters, nothing at all', () => {
    const cycle: Record<string, unknown> = { name: 'a', at: new Date(0) };
    cycle['self'] = { inner: cycle };
    expect(JSON.parse(projectJson(cycle))).toEqual({
      name: 'a',
      at: '1970-01-01T00:00:00.000Z',
      self: { inner: '[Circular]' },
    });
    const trap = {
      get value() {
        throw new Error('trapped');
      },
    };
    expect(JSON.parse(projectJson({ trap }))).toEqual({ trap: '[trapped]' });
    expect(projectJson(undefined)).toBe('null');
  });
});
