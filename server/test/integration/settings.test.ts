/**
 * Settings that only a running service with a guest can show: what a guest is given, how large its messages may be, and
 * the pause before a restart; which types come back in the next run of a thread. A separate service, because they are settings.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { runToEnd } from '../fixtures/limits-service.ts';
import { awaitRun, createRun, createThread, getRun, send } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const KIB = 1_024;

const agent = `
import os
from typing import Any
from urllib.parse import urldefrag, urlsplit
from typing_extensions import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    size: int
    seen: dict
    text: str
    kept: Any
    kinds: list

def keep(state: State) -> State:
    if (kept := state.get("kept")) is None:
        return {"kept": [urldefrag("a#b"), urlsplit("a?b")]}
    return {"kinds": [type(one).__name__ for one in kept]}

def look(state: State) -> State:
    names = ("FIRST", "BOTH", "FROM_DOT_ENV", "FROM_MANIFEST")
    return {
        "seen": {name: os.environ.get(name) for name in names},
        "text": "x" * state.get("size", 0),
    }

def die(state: State) -> State:
    os._exit(3)

def only(node):
    name = node.__name__
    return StateGraph(State).add_node(node).add_edge(START, name).add_edge(name, END).compile()

look_graph = only(look)
dying_graph = only(die)
keeping_graph = only(keep)
`;

let folder = '';
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
  const manifest = {
    graphs: {
      look: './agent.py:look_graph',
      dying: './agent.py:dying_graph',
      keeping: './agent.py:keeping_graph',
    },
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
      // As large as a checkpoint may be: it travels twice in a message, serialised and as JSON.
      SERVICE_GUEST_CHECKPOINT_MAX_SIZE: '1MiB',
      SERVICE_GUEST_ALLOWED_TYPES: 'urllib.parse.DefragResult',
      // No client sees the end of it: what is looked at is the pause.
      SERVICE_ENGINE_RUN_RESTART_INITIAL_BACKOFF: '1h',
      SERVICE_ENGINE_RUN_RESTART_MAX_BACKOFF: '1h',
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

it('values of the types of SERVICE_GUEST_ALLOWED_TYPES come back, others as data', async () => {
  const threadId = await createThread(service.url);
  const run = async () =>
    awaitRun(
      service.url,
      (await createRun(service.url, { agent_id: 'keeping', input: {} }, threadId)).run_id,
    );
  expect(await run()).toMatchObject({ status: 'completed' });
  // A dict with its former type.
  expect(await run()).toMatchObject({ output: { kinds: ['DefragResult', 'Unrevived'] } });
});

it('messages of a guest may be as large as SERVICE_GUEST_CHECKPOINT_MAX_SIZE, and not larger', async () => {
  const below = await runToEnd(service.url, { input: { size: 300 * KIB } });
  expect(below).toMatchObject({ status: 'completed' });
  const above = await runToEnd(service.url, { input: { size: 800 * KIB } });
  expect(above).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining(`the limit is ${KIB * KIB} bytes`) },
  });
  expect((await runToEnd(service.url, { input: {} })).status).toBe('completed');
});

// At once: a run that comes while the guest is restarted waits for it, and ends it again.
describe.concurrent('while a run waits for its restart', () => {
  const dying = { agent_id: 'dying', input: {} };
  const waitingForRestart = ['running', undefined, undefined];

  it('is reported as running, and can be cancelled', async () => {
    const { run_id: runId } = await createRun(service.url, dying);
    const waiting = await firstAttemptLost(runId);
    expect([waiting.status, waiting.attempt, waiting.last_failure]).toEqual(waitingForRestart);
    await send(service.url, 'POST', `/runs/${runId}/cancel`);
    expect(await awaitRun(service.url, runId)).toMatchObject({ status: 'cancelled' });
  });

  it.each([
    ['POST /threads/{id}/runs', async () => `/threads/${await createThread(service.url)}/runs`],
    ['POST /runs/wait', () => '/runs/wait'],
  ])('the window of %s runs out, and the run continues', async (_name, path) => {
    // Long enough for the first attempt to be lost, also where it has to wait for a new guest.
    const response = await call(`${service.url}${await path()}?wait=5s`, 'POST', dying);
    const { metadata } = response.body as { metadata: { run_id: string } };
    expect([response.status, response.body]).toMatchObject([504, { code: 'wait_elapsed' }]);
    expect(response.headers.get('location')).toBe(`/runs/${metadata.run_id}`);
    const waiting = await firstAttemptLost(metadata.run_id);
    expect([waiting.status, waiting.attempt, waiting.last_failure]).toEqual(waitingForRestart);
    const elapsed = await call(`${service.url}/runs/${metadata.run_id}/wait?wait=100ms`);
    expect(elapsed.status).toBe(504);
    await send(service.url, 'POST', `/runs/${metadata.run_id}/cancel`);
  });
});

/** The run between its first attempt and the second one: both are reported with the second, but for the timestamp. */
function firstAttemptLost(runId: string): ReturnType<typeof getRun> {
  return waitUntil('the loss of the first attempt', 60_000, async () => {
    const run = await getRun(service.url, runId);
    return run['updated_at'] !== run['created_at'] && run;
  });
}
