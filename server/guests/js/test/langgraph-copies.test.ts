import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';

const nodeModules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const stub = (version: string) =>
  JSON.stringify({ name: '@langchain/langgraph', version, type: 'module', exports: './index.js' });
const graph = `
  import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
  const State = Annotation.Root({ text: Annotation });
  export const graph = new StateGraph(State)
    .addNode('say', () => ({ text: 'hello' })).addEdge(START, 'say').addEdge('say', END).compile();`;

/** Folders of agents, each with its own kind of LangGraph. */
const files: Record<string, string> = {
  'package.json': '{"type": "module"}',
  // Too old: what it has no idea of, and what only looks like a graph.
  'old/node_modules/@langchain/langgraph/package.json': stub('0.2.8'),
  'old/node_modules/@langchain/langgraph/index.js': 'export class StateGraph {}',
  'old/lacking.js': graph,
  'old/odd.js':
    'import { StateGraph } from "@langchain/langgraph"; export const graph = new StateGraph();',
  // None at all.
  'none/agent.js': graph,
  // The agent's module sees none or another one than the package of the workspace that makes the graph.
  'packages/maker/package.json': '{"type": "module"}',
  'packages/maker/graph.js': graph,
  'apps/bare/agent.js': 'export { graph } from "../../packages/maker/graph.js";',
  'apps/other/node_modules/@langchain/langgraph/package.json': stub('0.2.8'),
  'apps/other/node_modules/@langchain/langgraph/index.js': '',
  'apps/other/agent.js': 'export { graph } from "../../packages/maker/graph.js";',
};

// One guest for all of it: which copy an agent gets is decided when it starts.
describe('the copies of LangGraph', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'copies-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    await symlink(nodeModules, join(folder, 'packages/maker/node_modules'));
    host = await startMemoryHost();
    const folders = ['old/lacking', 'old/odd', 'none/agent', 'apps/bare/agent', 'apps/other/agent'];
    const agents = Object.fromEntries(folders.map((folder) => [folder, `${folder}.js:graph`]));
    guest = await startGuest(host, agents, { sourceDir: folder });
  });

  afterAll(async () => {
    await guest.kill();
    await host.close();
    await rm(folder, { recursive: true });
  });

  it.each(['old/lacking', 'old/odd'])('an old one is the error of %s', async (agentId) => {
    const sentence = '@langchain/langgraph 0.2.8; 0.4 or newer is needed. ';
    const agents = await guest.describe();
    const description = agents.find((agent) => agent.agentId === agentId);
    expect(description?.error?.message).toContain(sentence);
    const { end } = await guest.invoke(
      runRequest(`t-${agentId}`, `r-${agentId}`, { agentId, inputJson: '{}' }),
    );
    expect(end).toMatchObject({ status: 'error', error: { code: 'agent_error' } });
    expect(end.error?.message).toContain(sentence);
  });

  it('a missing one is an error that names what to install', async () => {
    const agents = await guest.describe();
    const description = agents.find(({ agentId }) => agentId === 'none/agent');
    expect(description?.error?.message).toMatch(
      /^@langchain\/langgraph is not installed for .*agent\.js; 0\.4 or newer is needed\. Install/,
    );
  });

  it.each(['apps/bare/agent', 'apps/other/agent'])(
    'the one that made the graph of %s runs it',
    async (agentId) => {
      const { end } = await guest.invoke(
        runRequest(`t-${agentId}`, `r-${agentId}`, { agentId, inputJson: '{}' }),
      );
      expect(end).toMatchObject({ status: 'completed', outputJson: '{"text":"hello"}' });
    },
  );
});
