import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const served = ['uncompiled', 'promised', 'makeSync', 'makeAsync', 'wrapped', 'makeWrapped'];
const failing = ['returnsNothing', 'returnsValues', 'raises'];
const refused = ['Agent', 'number', 'nothing', 'list', 'module', 'generator', 'promisedText'];
const named = [...served, ...failing, ...refused, 'anyInput', 'failedPromise'];

const needed =
  'a compiled graph, a StateGraph, an agent, an entrypoint or a function that makes one is needed.';

describe('forms of graphs', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      ...Object.fromEntries(named.map((name) => [name, `./forms.ts:${name}`])),
      withoutName: './forms.ts',
      onlyGraph: './noop.ts:grpah',
      noGraph: './settings.ts:graph',
      empty: './empty.ts:graph',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  const run = async (agentId: string, input: unknown = { word: '' }) => {
    const configJson = JSON.stringify({ configurable: { who: 'me' } });
    const request = { agentId, inputJson: JSON.stringify(input), configJson };
    const id = `${agentId}-${JSON.stringify(input)}`;
    return guest.invoke(runRequest(`t-${id}`, `r-${id}`, request));
  };

  it.each([
    ['uncompiled', 'uncompiled'],
    ['promised', 'promised'],
    ['makeSync', 'sync me'],
    ['makeAsync', 'async me'],
    ['wrapped', 'wrapped'],
    ['makeWrapped', 'wrapped'],
    ['withoutName', 'default'],
  ])('runs %s', async (agentId, word) => {
    const { end } = await run(agentId);
    expect(end.error).toBeNull();
    expect(JSON.parse(end.outputJson)).toEqual({ word });
  });

  it.each(['text', '', ['a', 1], [], 7, 0, 1.5, true, false, { a: 1 }, {}])(
    'an entrypoint takes and returns %j',
    async (value) => {
      const { end } = await run('anyInput', value);
      expect(end.error).toBeNull();
      expect(JSON.parse(end.outputJson)).toEqual(value);
    },
  );

  it.each([
    ['Agent', `is a class; ${needed}`],
    ['number', `is a number; ${needed}`],
    ['nothing', `is null; ${needed}`],
    ['list', `is a list; ${needed}`],
    ['module', `is a module; ${needed}`],
    ['generator', `is a generator function; ${needed}`],
    ['promisedText', `is a string; ${needed}`],
  ])('refuses %s when it is loaded', async (agentId, sentence) => {
    const described = await guest.describe();
    const found = described.find((agent) => agent.agentId === agentId);
    expect(found?.error?.message).toBe(`./forms.ts:${agentId} ${sentence}`);
  });

  it('names the exports that exist when one does not', async () => {
    const described = await guest.describe();
    const messages = Object.fromEntries(described.map(({ agentId, error }) => [agentId, error]));
    expect(messages).toMatchObject({
      onlyGraph: { message: "./noop.ts has no export 'grpah'; did you mean 'graph'?" },
      noGraph: { message: "./settings.ts has no export 'graph'; its exports are settings." },
      empty: { message: "./empty.ts has no export 'graph', and no exports at all." },
      failedPromise: { type: 'Error', message: 'no key is set' },
    });
  });

  it.each([
    ['returnsNothing', 'TypeError', `./forms.ts:returnsNothing returned undefined; ${needed}`],
    ['returnsValues', 'TypeError', `./forms.ts:returnsValues returned an object; ${needed}`],
    ['raises', 'RangeError', 'no key is set'],
  ])('ends the runs of %s, which makes no graph', async (agentId, type, message) => {
    const { end } = await run(agentId);
    expect(end).toMatchObject({ status: 'error', error: { type, message } });
  });
});
