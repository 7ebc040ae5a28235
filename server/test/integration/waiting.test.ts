import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { awaitRun, createRun, createThread, getRun } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const agent = `
import os
from typing_extensions import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    mark: str

def die_once(state: State) -> State:
    if not os.path.exists(state["mark"]):
        open(state["mark"], "w").close()
        os._exit(3)
    return {}

graph = StateGraph(State).add_node(die_once).add_edge(START, "die_once").add_edge("die_once", END).compile()
`;

/** The pause before a restart; chosen from three quarters of it on. */
const BACKOFF_MS = 8_000;
/** Long enough for the first attempt to be lost, and over before the second one begins. */
const SHORT_MS = 3_000;
/** A guest's end is noticed late on a busy machine. */
const LOST_LIMIT_MS = 30_000;

let folder = '';
let count = 0;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waiting-'));
  await writeFile(join(folder, 'agent.py'), agent);
  await writeFile(join(folder, 'agent.json'), '{"graphs":{"dying":"./agent.py:graph"}}');
  service = await startService({
    agents: folder,
    flags: ['--interpreter', testPython()],
    environment: { SERVICE_ENGINE_RUN_RESTART_INITIAL_BACKOFF: `${BACKOFF_MS}ms` },
  });
});
// Every run ends a guest, and a run that waits for the next one to come up is not lost in time.
beforeEach(() => whenHealthy(service.url));
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The input of a run whose first attempt ends its guest. */
function dying(): { input: { mark: string } } {
  count += 1;
  return { input: { mark: join(folder, `died-${count}`) } };
}

describe('while a run waits for its restart', () => {
  it('is reported as running throughout', async () => {
    const { run_id: runId } = await createRun(service.url, dying());
    const seen = new Set<string>();
    let isSeenWaiting = false;
    await waitUntil('the end of the run', 60_000, async () => {
      const run = await getRun(service.url, runId);
      seen.add(run.status);
      // The first attempt is lost, and the second has not begun.
      if (run.last_failure === 'CRASH' && run.attempt === undefined) isSeenWaiting = true;
      return run.status === 'completed';
    });
    expect([...seen]).toEqual(['running', 'completed']);
    expect(isSeenWaiting).toBe(true);
    expect(await getRun(service.url, runId)).toMatchObject({ attempt: 2, last_failure: 'CRASH' });
  });

  it.each([
    ['POST /threads/{id}/runs', async () => `/threads/${await createThread(service.url)}/runs`],
    ['POST /runs/wait', () => '/runs/wait'],
  ])('the window of %s runs out, and the run goes on', async (_name, path) => {
    const url = service.url + (await path());
    const answer = await call(`${url}?wait=${SHORT_MS}ms`, 'POST', dying());
    const { metadata } = answer.body as { metadata: { run_id: string } };
    expect([answer.status, answer.body]).toMatchObject([504, { code: 'wait_elapsed' }]);
    expect(answer.headers.get('location')).toBe(`/runs/${metadata.run_id}`);
    const lost = await waitUntil('the loss of the first attempt', LOST_LIMIT_MS, async () => {
      const run = await getRun(service.url, metadata.run_id);
      return run.last_failure === 'CRASH' && run;
    });
    expect(lost.status).toBe('running');
    expect(lost.attempt).toBeUndefined();
    const elapsed = await call(`${service.url}/runs/${metadata.run_id}/wait?wait=100ms`);
    expect(elapsed.status).toBe(504);
    const final = await awaitRun(service.url, metadata.run_id);
    expect(final).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it.each([
    ['POST /threads/{id}/runs', async () => `/threads/${await createThread(service.url)}/runs`],
    ['POST /runs/wait', () => '/runs/wait'],
  ])('a longer window of %s has the end of the second attempt', async (_name, path) => {
    const answer = await call(`${service.url}${await path()}?wait=60s`, 'POST', dying());
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'completed', attempt: 2 }]);
  });
});
