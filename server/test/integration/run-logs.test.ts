import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, send } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const agent = `
import asyncio, logging, os, sys
from typing_extensions import TypedDict
from langgraph.graph import END, START, StateGraph

logging.basicConfig(level=logging.INFO, format="%(message)s")

class State(TypedDict, total=False):
    name: str
    mark: str

def in_a_thread(state: State) -> State:
    print(state["name"], "printed in a thread")
    logging.info("%s logged", state["name"])
    return {}

async def in_the_loop(state: State) -> State:
    print(state["name"], "printed in the loop")
    await asyncio.sleep(0.05)
    print(state["name"], "printed after a pause", file=sys.stderr)
    return {}

def die_once(state: State) -> State:
    if os.path.exists(state["mark"]):
        print("lived")
        return {}
    open(state["mark"], "w").close()
    print("about to die")
    os.write(2, b"Fatal: last words\\n")
    os._exit(3)

def line(*nodes):
    graph = StateGraph(State)
    for node in nodes:
        graph.add_node(node.__name__, node)
    for one, two in zip((START, *(n.__name__ for n in nodes)), (*(n.__name__ for n in nodes), END)):
        graph.add_edge(one, two)
    return graph.compile()

talk = line(in_a_thread, in_the_loop)
dying = line(die_once)
`;

interface Logs {
  lines: { id: number; stream: string; text: string; attempt: number }[];
  dropped: number;
}

let folder = '';
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-logs-'));
  const graphs = { talk: './agent.py:talk', dying: './agent.py:dying' };
  await writeFile(join(folder, 'agent.py'), agent);
  await writeFile(join(folder, 'agent.json'), JSON.stringify({ graphs }));
  service = await startService({ agents: folder, flags: ['--interpreter', testPython()] });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const logsOf = (runId: string): Promise<Logs> => send(service.url, 'GET', `/runs/${runId}/logs`);

test('runs at the same time in one process have their own lines', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const runs = await Promise.all(
    names.map((name) => createRun(service.url, { agent_id: 'talk', input: { name } })),
  );
  await Promise.all(runs.map((run) => awaitRun(service.url, run.run_id)));
  for (const [index, run] of runs.entries()) {
    const { lines, dropped } = await logsOf(run.run_id);
    const own = lines.map(({ stream, text }) => `${stream} ${text}`);
    expect([own, dropped]).toEqual([
      [
        `stdout ${names[index]} printed in a thread`,
        `stderr ${names[index]} logged`,
        `stdout ${names[index]} printed in the loop`,
        `stderr ${names[index]} printed after a pause`,
      ],
      0,
    ]);
  }
  await service.said(/printed in the loop/);
});

test('the last words of a guest that dies with its run are there, with the attempt', async () => {
  const input = { name: 'x', mark: join(folder, 'died') };
  const run = await createRun(service.url, { agent_id: 'dying', input });
  expect(await awaitRun(service.url, run.run_id)).toMatchObject({
    status: 'completed',
    attempt: 2,
    last_failure: 'CRASH',
  });
  const { lines } = await logsOf(run.run_id);
  // Its two pipes are read side by side.
  const said = lines.map(({ stream, text, attempt }) => `${attempt} ${stream} ${text}`).toSorted();
  expect(said).toEqual(['1 stderr Fatal: last words', '1 stdout about to die', '2 stdout lived']);
});
