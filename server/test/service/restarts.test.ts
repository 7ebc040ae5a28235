/** Runs whose first attempt ends its guest. Spec: Run states; wait: the window covers restarts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { whenHealthy } from '../fixtures/durable-service.ts';
import { createThread, send } from '../fixtures/service-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restarts-'));
});
afterAll(async () => {
  await whenHealthy(url);
  await rm(folder, { recursive: true });
});

/** The response of a request that waits for the end of its run. */
async function waitOn(path: string, agent: string): Promise<unknown[]> {
  const body = { agent_id: agent, input: { mark: join(folder, agent) } };
  const response = await call(`${url + path}?wait=90s`, 'POST', body);
  return [response.status, response.body];
}

const ended = [
  200,
  { status: 'completed', attempt: 2, last_failure: 'CRASH', output: { text: 'well' } },
];

// At once: they end different guests.
it.concurrent('a window of POST /runs/wait has the end of the second attempt', async () => {
  expect(await waitOn('/runs/wait', 'mortal_ts')).toMatchObject(ended);
});

it.concurrent(
  'a window of POST /threads/{id}/runs has it, and the last output of the guest exists',
  async () => {
    const response = await waitOn(`/threads/${await createThread(url)}/runs`, 'mortal_py');
    expect(response).toMatchObject(ended);
    const { run_id: runId } = response[1] as { run_id: string };
    const logs = await send<{ lines: { stream: string; text: string; attempt: number }[] }>(
      url,
      'GET',
      `/runs/${runId}/logs`,
    );
    const lines = logs.lines.map(({ stream, text, attempt }) => `${attempt} ${stream} ${text}`);
    // Its two pipes are read side by side.
    expect(lines.toSorted()).toEqual([
      '1 stderr Fatal: last words',
      '1 stdout about to die',
      '2 stdout lived',
    ]);
  },
);
