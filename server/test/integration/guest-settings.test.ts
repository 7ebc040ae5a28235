/** Settings that only a running service with a guest can show. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { runToEnd } from '../fixtures/limits-service.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const MIB = 1_024 * 1_024;

const agent = `
import os
from typing_extensions import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    size: int
    seen: dict
    text: str

def look(state: State) -> State:
    names = ("FIRST", "BOTH", "FROM_DOT_ENV", "FROM_MANIFEST")
    return {
        "seen": {name: os.environ.get(name) for name in names},
        "text": "x" * state.get("size", 0),
    }

graph = StateGraph(State).add_node(look).add_edge(START, "look").add_edge("look", END).compile()
`;

let folder = '';
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guest-settings-'));
  const manifest = {
    graphs: { look: './agent.py:graph' },
    env: { FROM_MANIFEST: 'manifest', BOTH: 'manifest' },
  };
  await writeFile(join(folder, 'agent.py'), agent);
  await writeFile(join(folder, 'agent.json'), JSON.stringify(manifest));
  await writeFile(join(folder, '.env'), 'FROM_DOT_ENV=dot\n');
  await writeFile(join(folder, 'one.env'), 'FIRST=one\nBOTH=one\n');
  await writeFile(join(folder, 'two.env'), 'BOTH=two\n');
  service = await startService({
    agents: folder,
    flags: [
      `--interpreter=${testPython()}`,
      `--env-files=${join(folder, 'one.env')},${join(folder, 'two.env')}`,
    ],
    environment: {
      SERVICE_GUEST_CHECKPOINT_MAX_SIZE: '3MiB',
      SERVICE_ENGINE_EXTERNAL_STORAGE_TYPE: 'directory',
      SERVICE_ENGINE_MAX_CHECKPOINT_BYTES: '20MiB',
    },
  });
  await whenHealthy(service.url);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

it('an agent sees the files of --env-files, the later over the earlier one', async () => {
  const run = await runToEnd(service.url, { input: {} });
  // With files that are named, nothing else is looked for.
  const seen = { FIRST: 'one', BOTH: 'two', FROM_DOT_ENV: null, FROM_MANIFEST: 'manifest' };
  expect(run).toMatchObject({ status: 'completed', output: { seen } });
});

it('messages of a guest may be as large as SERVICE_GUEST_CHECKPOINT_MAX_SIZE, and not larger', async () => {
  // A checkpoint has its value twice: serialised, and as JSON.
  expect(await runToEnd(service.url, { input: { size: MIB } })).toMatchObject({
    status: 'completed',
  });
  const above = await runToEnd(service.url, { input: { size: 6 * MIB } });
  expect(above).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining(`the limit is ${3 * MIB} bytes`) },
  });
  expect((await runToEnd(service.url, { input: {} })).status).toBe('completed');
});
