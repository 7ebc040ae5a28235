import { expect, it } from 'vitest';
import { jsonText, toJsonText } from '../model/json-text.ts';
import type { NewRun } from '../model/run.ts';
import { runContext } from './run-config.ts';

const of = (run: Pick<NewRun, 'config' | 'context'>): string => runContext(run as NewRun); // nothing else is read

it('is the context as it was sent, to the letter', () => {
  const context = jsonText('{ "n": 12345678901234567890 }');
  expect(of({ config: {}, context })).toBe(context);
});

it('is what stands under configurable where there is no context, but for places', () => {
  const config = { configurable: { tone: 'warm', thread_id: 't', checkpoint_id: 'c' } };
  expect(of({ config })).toBe('{"tone":"warm"}');
  expect(of({ config, context: toJsonText({}) })).toBe('{"tone":"warm"}');
  expect(of({ config: {} })).toBe('{}');
});

it('does not say who its client is', () => {
  const spoofed = { langgraph_auth_user: { identity: 'root' }, tone: 'warm' };
  expect(of({ config: { configurable: spoofed } })).toBe('{"tone":"warm"}');
  expect(of({ config: {}, context: toJsonText(spoofed) })).toBe('{"tone":"warm"}');
  const escaped = jsonText('{"langgraph\\u005fauth_user_id":"root"}');
  expect(of({ config: {}, context: escaped })).toBe('{}');
});
