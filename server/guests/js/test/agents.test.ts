import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GraphShape } from '../src/graph-shape.ts';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const nodeModules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

/** Written as for a compiler: an enum, a type among the imported names, the name of the compiled file. */
const compiledStyle = {
  'agent.ts': `
    import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
    import { Settings, settings } from './settings.js';
    enum Color { Red = 'red' }
    const State = Annotation.Root({ color: Annotation<string>, settings: Annotation<Settings> });
    export const graph = new StateGraph(State)
      .addNode('paint', () => ({ color: Color.Red, settings }))
      .addEdge(START, 'paint')
      .addEdge('paint', END);
  `,
  'settings.ts': `
    export interface Settings { name: string }
    export const settings: Settings = { name: 'from settings' };
  `,
  'package.json': '{"type": "module"}',
};

/** Types among the imported names only: Node gets as far as linking before it fails. */
const linkedStyle = {
  'agent.ts': `
    import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
    import { Settings, settings } from './settings.ts';
    import { counter } from './counter.ts';
    const State = Annotation.Root({
      settings: Annotation<Settings>,
      count: Annotation<number>,
      isOneCopy: Annotation<boolean>,
    });
    export const graph = new StateGraph(State)
      .addNode('first', () => new Command({ goto: 'second', update: { settings } }), {
        ends: ['second'],
      })
      .addNode('second', () => ({
        count: counter.count++,
        isOneCopy: counter.Command === Command,
      }))
      .addEdge(START, 'first')
      .addEdge('second', END);
  `,
  'before.ts': `
    import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
    import { counter } from './counter.ts';
    Object.assign(counter, { count: 5, Command });
    export const graph = new StateGraph(Annotation.Root({ count: Annotation<number> }))
      .addNode('only', () => ({ count: counter.count }))
      .addEdge(START, 'only')
      .addEdge('only', END);
  `,
  'counter.ts': `export const counter: { count: number; Command?: unknown } = { count: 0 };`,
  'settings.ts': compiledStyle['settings.ts'],
  'package.json': '{"type": "module"}',
};

/** A folder of agents outside of this repository's TypeScript project, with the packages it needs. */
async function writeAgents(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder);
  await symlink(nodeModules, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

describe('agents of every kind in one guest', () => {
  let host: MemoryHost;
  let guest: GuestProcess;

  beforeAll(async () => {
    host = await startMemoryHost();
    const folder = join(host.directory, 'agents');
    await writeAgents(folder, compiledStyle);
    guest = await startGuest(host, {
      noop: './noop.ts:graph',
      sending: './editing.ts:sending',
      asking: './editing.ts:asking',
      nested: './editing.ts:nested',
      broken: './broken.ts:graph',
      absent: './absent.ts:graph',
      noExport: './noop.ts:grpah',
      notAGraph: './settings.ts:settings',
      tsx: `${folder}/agent.ts:graph`,
      factory: './factory.ts:makeGraph',
      cjs: './common-js.cjs:graph',
      narrow: './narrow.ts:graph',
      delta: './delta.ts:graph',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  it('keeps those that fail to load with their error, and serves the others', async () => {
    const described = await guest.describe();
    const errors = Object.fromEntries(described.map(({ agentId, error }) => [agentId, error]));
    expect(errors).toMatchObject({
      noop: null,
      broken: { code: 'agent_error', type: 'RangeError', message: 'the agent cannot be imported' },
      absent: { code: 'agent_error', message: expect.stringContaining('absent.ts') as unknown },
      noExport: { message: "./noop.ts has no export 'grpah'; did you mean 'graph'?" },
      notAGraph: {
        message: expect.stringMatching(/^\.\/settings\.ts:settings is an object;/) as unknown,
      },
      tsx: null,
      factory: null,
      cjs: null,
    });
    expect(errors['broken']?.traceback).toMatch(/broken\.ts:1/);
    const { end } = await guest.invoke(
      runRequest('t-b', 'r-b', { agentId: 'broken', inputJson: '{}' }),
    );
    expect(end).toMatchObject({ status: 'error', error: errors['broken'] });
    const other = { agentId: 'noop', inputJson: '{"count":1}' };
    expect((await guest.invoke(runRequest('t-n', 'r-n', other))).end.status).toBe('completed');
  });

  it('describes the schemas of agents: of zod in full, otherwise the names', async () => {
    const described = await guest.describe({ schemas: true });
    const schema = (id: string, kind: 'inputSchemaJson' | 'outputSchemaJson'): unknown =>
      JSON.parse(described.find(({ agentId }) => agentId === id)?.[kind] ?? '');
    expect(schema('delta', 'inputSchemaJson')).toMatchObject({
      type: 'object',
      properties: { note: { type: 'string' } },
    });
    expect(schema('narrow', 'outputSchemaJson')).toEqual({
      type: 'object',
      properties: { answer: {} },
    });
    expect(described.find(({ agentId }) => agentId === 'broken')?.inputSchemaJson).toBe('');
  });

  it('describes the graphs of agents', async () => {
    const shapeOf = async (agentId: string, graphDepth = 0): Promise<GraphShape> => {
      const described = await guest.describe({ graph: true, graphDepth });
      const json = described.find((agent) => agent.agentId === agentId)?.graphJson ?? '';
      return JSON.parse(json) as GraphShape; // our own format
    };
    const sending = await shapeOf('sending');
    expect(sending.nodes).toEqual([
      { id: '__start__', type: 'start', name: '__start__' },
      { id: 'start', type: 'node', name: 'start' },
      { id: 'ask_one', type: 'node', name: 'ask_one' },
      { id: '__end__', type: 'end', name: '__end__' },
    ]);
    expect(sending.edges.toSorted((a, b) => (a.target < b.target ? 1 : -1))).toEqual([
      { source: '__start__', target: 'start', conditional: false },
      { source: 'start', target: 'ask_one', conditional: true },
      { source: 'ask_one', target: '__end__', conditional: false },
    ]);
    expect((await shapeOf('asking')).nodes.map(({ id }) => id)).toContain('end');
    const nodes = async (depth: number) => {
      const shape = await shapeOf('nested', depth);
      return shape.nodes.map(({ id, type }) => [id, type]).slice(1, -1);
    };
    expect(await nodes(0)).toEqual([['middle', 'subgraph']]);
    expect((await nodes(2)).flat()).toEqual(
      expect.arrayContaining(['middle:inner:before', 'middle:inner:ask']),
    );
    const described = await guest.describe();
    expect(new Set(described.map(({ graphJson }) => graphJson))).toEqual(new Set(['']));
  });

  it('runs TypeScript that needs more than its types removed, and compiles an uncompiled graph', async () => {
    const color = { agentId: 'tsx', inputJson: '{"color":"none"}' };
    const { end } = await guest.invoke(runRequest('t-tsx', 'r-tsx', color));
    expect(JSON.parse(end.outputJson)).toEqual({
      color: 'red',
      settings: { name: 'from settings' },
    });
  });

  it('asks a factory for a graph with every run, and gives it the config', async () => {
    const run = (name: string) =>
      guest.invoke(
        runRequest('t-factory', `r-${name}`, {
          agentId: 'factory',
          inputJson: '{"greeting":""}',
          configJson: JSON.stringify({ configurable: { thread_id: 't-factory', name } }),
        }),
      );
    const outcomes = await Promise.all([run('Ada'), run('Grace')]);
    expect(outcomes.map(({ end }) => end.outputJson)).toEqual([
      '{"greeting":"Hello Ada"}',
      '{"greeting":"Hello Grace"}',
    ]);
  });

  it('gives a CommonJS agent the message classes of its own copy of LangChain', async () => {
    const input = { messages: [{ role: 'user', content: 'message 1' }] };
    const request = { agentId: 'cjs', inputJson: JSON.stringify(input) };
    await guest.invoke(runRequest('t-cjs', 'r-cjs-1', request));
    const { end } = await guest.invoke(runRequest('t-cjs', 'r-cjs-2', request));
    expect(end.error).toBeNull();
    expect(JSON.parse(end.outputJson)).toMatchObject({
      messages: ['message 1', 'message 2', 'message 1', 'message 4'].map((content) => ({
        content,
      })),
    });
  });
});

/** Each takes seconds: a separate guest process, in which the first import fails. */
describe('types among the imported names', () => {
  /** What the agents before and after the failure end with. */
  async function outputsOf(files: Record<string, string>): Promise<string[]> {
    const host = await startMemoryHost();
    const sourceDir = join(host.directory, 'agents');
    await writeAgents(sourceDir, files);
    const agents = {
      before: './before.ts:graph',
      after: './agent.ts:graph',
      again: './agent.ts:graph',
    };
    const guest = await startGuest(host, agents, { sourceDir });
    try {
      const outputs: string[] = [];
      for (const agentId of Object.keys(agents)) {
        const request = runRequest(`t-${agentId}`, `r-${agentId}`, { agentId, inputJson: '{}' });
        const { end } = await guest.invoke(request);
        outputs.push(end.error?.message ?? end.outputJson);
      }
      return outputs;
    } finally {
      await guest.kill();
      await host.close();
    }
  }

  it('are left out; packages, and modules of agents before, stay one copy', async () => {
    expect(await outputsOf(linkedStyle)).toEqual([
      '{"count":5}',
      '{"settings":{"name":"from settings"},"count":5,"isOneCopy":true}',
      '{"settings":{"name":"from settings"},"count":6,"isOneCopy":true}',
    ]);
  });

  it('are left out where tsx makes CommonJS of it', { tags: 'release' }, async () => {
    // What Node has loaded as an ES module is another copy there.
    const files = { ...linkedStyle, 'package.json': '{}' };
    expect(await outputsOf(files)).toEqual([
      '{"count":5}',
      '{"settings":{"name":"from settings"},"count":0,"isOneCopy":false}',
      '{"settings":{"name":"from settings"},"count":1,"isOneCopy":false}',
    ]);
  });
});
