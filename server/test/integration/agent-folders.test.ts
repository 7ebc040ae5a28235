/**
 * An agent folder of a monorepo, with everything that a manifest may define about where code is and its name. A
 * separate service, because it is another folder.
 *
 * @module-tag release
 */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, send } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A graph whose state has the name of its module and the word of its neighbour. */
const python = (imports: string): string => `
import os
from typing_extensions import TypedDict
from langgraph.graph import START, StateGraph
${imports}

class State(TypedDict, total=False):
    text: str
    env: str | None

def read(state: State) -> State:
    return {"text": f"{__name__}: {word}", "env": os.environ.get("FROM_FILE")}

graph = StateGraph(State).add_node(read).add_edge(START, "read").compile()
`;

const javascript = `
  import { Annotation, START, StateGraph } from '@langchain/langgraph';
  import { word } from './word.ts';
  const State = Annotation.Root({ text: Annotation<string> });
  export default new StateGraph(State).addNode('read', () => ({ text: word })).addEdge(START, 'read').compile();
`;

const files: Record<string, string> = {
  'apps/my agent/pyproject.toml': '',
  'apps/my agent/src/my_agent/__init__.py': 'from my_agent.graph import graph',
  'apps/my agent/src/my_agent/graph.py': python('from my_agent.word import word'),
  'apps/my agent/src/my_agent/word.py': 'word = "own"',
  'apps/my agent/a/agent.py': python('from .word import word'),
  'apps/my agent/a/word.py': 'word = "a"',
  'apps/my agent/b-c/agent.py': python('from .word import word'),
  'apps/my agent/b-c/word.py': 'word = "b-c"',
  'shared/agent.py': python('from shared_word import word'),
  'shared/shared_word.py': 'word = "shared"',
  'shared/agent.ts': javascript,
  'shared/word.ts': 'export const word: string = "shared";',
  '.env': 'FIRST=yes\nFROM_FILE=${FIRST}',
};

/** The text of each agent, by its name. */
const agents: Record<string, { path: string; text: unknown }> = {
  'my agent': { path: './src/my_agent/graph.py:graph', text: 'my_agent.graph: own' },
  module: { path: 'my_agent.graph:graph', text: 'my_agent.graph: own' },
  'teams/a': { path: '.\\a\\agent.py:graph', text: 'a.agent: a' },
  'größe ☃ 50%?#': { path: './b-c/agent.py:graph', text: expect.stringMatching(/agent: b-c$/) },
  shared: { path: '../../shared/agent.py:graph', text: 'agent: shared' },
  'shared js': { path: '../../shared/agent.ts', text: 'shared' },
};

let root = '';
let service: ServiceProcess;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'agent folders-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  await symlink(nodeModules, path.join(root, 'node_modules'));
  const graphs = Object.entries(agents).map(([name, agent]) => [name, agent.path]);
  const manifest = {
    dependencies: ['.', '../../shared', 'langchain_openai'],
    graphs: { ...Object.fromEntries(graphs), missing: 'not_there.graph:graph' } as object,
    env: '../../.env',
    python_version: '3.99',
    dockerfile_lines: ['RUN true'],
    http: { cors: { allow_origins: ['*'] } },
  };
  const folder = path.join(root, 'apps', 'my agent');
  await writeFile(path.join(folder, 'langgraph.json'), JSON.stringify(manifest));
  service = await startService({ agents: folder, flags: ['--interpreter', testPython()] });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(root, { recursive: true, force: true });
});

describe.each(Object.entries(agents))('the agent %s', (name, { text }) => {
  const address = encodeURIComponent(name);
  const output = { text, ...(name !== 'shared js' && { env: 'yes' }) };

  it('is found, described and run by its name', async () => {
    const { url } = service;
    for (const part of ['', '/schemas', '/graph']) {
      const agent = await send<{ agent_id: string }>(url, 'GET', `/agents/${address}${part}`);
      expect(agent.agent_id).toBe(name);
    }
    const { run_id: runId } = await createRun(url, { agent_id: name, input: {} });
    expect(await awaitRun(url, runId)).toMatchObject({ status: 'completed', output });
  });

  it("is an assistant of LangGraph's clients", async () => {
    const compat = `${service.url}/compat/langgraph`;
    const ofGraph = { graph_id: name };
    expect(await send(compat, 'POST', '/assistants/search', ofGraph)).toMatchObject([ofGraph]);
    await send(compat, 'GET', `/assistants/${address}/graph`);
    const { thread_id: id } = await send<{ thread_id: string }>(compat, 'POST', '/threads', {});
    const run = { assistant_id: name, input: {} };
    expect(await send(compat, 'POST', `/threads/${id}/runs/wait`, run)).toEqual(output);
    await waitUntil('the thread in a search', 10_000, async () => {
      const search = { metadata: ofGraph };
      const found = await send<{ thread_id: string }[]>(compat, 'POST', '/threads/search', search);
      return found.some((thread) => thread.thread_id === id);
    });
  });
});

it('prints on the terminal what has no effect, and which agents could not be loaded', async () => {
  await service.printed(/an agent could not be loaded agent_id=missing reason=/);
  for (const sentence of [
    'langgraph.json: dockerfile_lines: not used, since no image is built',
    'langgraph.json: http.cors: not used, pages of other origins are a setting of the service',
    'python_version of the manifest is 3.99; the agents run on',
    "there is no module 'not_there', neither installed in",
  ]) {
    expect(service.output()).toContain(sentence);
  }
});
