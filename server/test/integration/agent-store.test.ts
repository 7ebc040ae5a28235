import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const python = `
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START
from langgraph.store.base import BaseStore

class State(TypedDict, total=False):
    space: str
    report: dict

async def use(state: State, *, store: BaseStore):
    space = state["space"]
    await store.aput((space, "new"), "made", {"by": "python", "n": 7})
    await store.aput((space, "new"), "gone", {"n": 1})
    await store.adelete((space, "new"), "gone")
    given = await store.aget((space,), "given")
    found = await store.asearch((space,), filter={"n": {"$gte": 5}})
    return {"report": {"given": given.value, "found": [item.key for item in found]}}

graph = StateGraph(State).add_node(use).add_edge(START, "use").compile()
`;

const typescript = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ space: Annotation(), report: Annotation() });

export const graph = new StateGraph(State)
  .addNode('use', async ({ space }, { store }) => {
    await store.put([space, 'new'], 'made', { by: 'javascript', n: 7 });
    await store.put([space, 'new'], 'gone', { n: 1 });
    await store.delete([space, 'new'], 'gone');
    const given = await store.get([space], 'given');
    const found = await store.search([space], { filter: { n: { $gte: 5 } } });
    return { report: { given: given.value, found: found.map(({ key }) => key) } };
  })
  .addEdge(START, 'use')
  .compile();
`;

describe.each([
  ['python', 'agent.py', python],
  ['javascript', 'agent.ts', typescript],
])('a %s agent', (language, file, source) => {
  let folder: string;
  let service: ServiceProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-store-'));
    const agents = join(folder, 'agents');
    await mkdir(agents);
    await writeFile(join(agents, file), source);
    await writeFile(join(agents, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(agents, 'agent.json'),
      JSON.stringify({ graphs: { agent: `./${file}:graph` } }),
    );
    if (language === 'javascript') await symlink(modules, join(agents, 'node_modules'));
    service = await startService({
      agents,
      flags: language === 'python' ? ['--interpreter', testPython()] : [],
      environment: {
        SERVICE_STORE_PROVIDER: 'sqlite',
        SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'store.db'),
      },
    });
    await whenHealthy(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  it('and the API see the same items', async () => {
    const given = `${service.url}/store/items?namespace=s&key=given`;
    const item = { value: { n: 5, text: 'ü' }, metadata: { m: 1 } };
    expect((await call(given, 'PUT', item)).status).toBe(204);

    const run = await call(`${service.url}/runs/wait`, 'POST', { input: { space: 's' } });
    expect(run.body).toMatchObject({
      status: 'completed',
      output: { report: { given: item.value, found: ['given', 'made'] } },
    });

    const search = { namespace: ['s'] };
    const found = await call(`${service.url}/store/items/search`, 'POST', search);
    expect(found.body).toMatchObject({
      items: [
        { namespace: ['s'], key: 'given', ...item },
        { namespace: ['s', 'new'], key: 'made', value: { by: language, n: 7 }, metadata: {} },
      ],
    });
    const health = await call(`${service.url}/health`);
    expect(health.body).toMatchObject({ components: { store: { status: 'ok' } } });
  });
});
