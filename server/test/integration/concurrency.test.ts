import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  durableAgents,
  startDurableService,
  testPython,
  whenHealthy,
} from '../fixtures/durable-service.ts';
import { readLedger } from '../fixtures/ledger.ts';
import { runService } from '../fixtures/run-service.ts';
import { awaitRun, createRun, createThread, send } from '../fixtures/service-client.ts';
import type { ServiceProcess } from '../fixtures/start-service.ts';

const AT_ONCE = 16;
const labels = Array.from({ length: AT_ONCE }, (_, index) => `run ${index}`);

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concurrency-'));
  service = await startDurableService();
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

describe.each(['py', 'ts'])('sixteen runs (%s)', (language) => {
  test('at once on sixteen threads all finish', async () => {
    const ledger = join(folder, `at-once-${language}`);
    const finals = await Promise.all(
      labels.map(async (label) => {
        const input = { ledger, label, pause_ms: 300 };
        const run = await createRun(service.url, { agent_id: `append_${language}`, input });
        return awaitRun(service.url, run.run_id);
      }),
    );
    expect(finals.map(({ status, output }) => ({ status, done: output?.done }))).toEqual(
      labels.map((label) => ({ status: 'completed', done: [label] })),
    );
  });

  test('queued on one thread all finish, in their order', async () => {
    const ledger = join(folder, `queued-${language}`);
    const threadId = await createThread(service.url);
    const runs = [];
    for (const label of labels) {
      const body = { agent_id: `append_${language}`, input: { ledger, label, pause_ms: 20 } };
      const run = await createRun(service.url, body, threadId);
      expect(run.status).toBe('running');
      runs.push(run);
    }
    const finals = await Promise.all(runs.map(({ run_id: id }) => awaitRun(service.url, id)));
    expect(finals.map(({ status }) => status)).toEqual(labels.map(() => 'completed'));
    expect(readLedger(ledger).map(({ label }) => label)).toEqual(labels);
    const { values } = await send<{ values: { done: string[] } }>(
      service.url,
      'GET',
      `/threads/${threadId}/state`,
    );
    expect(values.done).toEqual(labels);
  });
});

describe('several services on one machine', () => {
  test('two of different folders and a one-shot run work side by side', async () => {
    const agents = join(folder, 'other-agents');
    await cp(join(durableAgents, 'steps.py'), join(agents, 'steps.py'), { recursive: true });
    const manifest = { graphs: { append_py: './steps.py:append' } };
    await writeFile(join(agents, 'agent.json'), JSON.stringify(manifest));
    const other = await startDurableService({ agents });
    try {
      const inputOf = (label: string): Record<string, unknown> => {
        return { ledger: join(folder, 'side-by-side'), label, pause_ms: 200 };
      };
      const onService = async ({ url }: ServiceProcess, label: string): Promise<unknown> => {
        const body = { agent_id: 'append_py', input: inputOf(label) };
        const { run_id: id } = await createRun(url, body);
        return (await awaitRun(url, id)).output?.done;
      };
      const oneShot = runService([
        ...['run', agents, '--sandbox=none', `--interpreter=${testPython()}`],
        ...['--agent=append_py', `--input=${JSON.stringify(inputOf('one-shot'))}`],
      ]);
      const [one, two, { code, stdout }] = await Promise.all([
        onService(service, 'one'),
        onService(other, 'two'),
        oneShot,
      ]);
      expect([one, two, code]).toEqual([['one'], ['two'], 0]);
      expect(JSON.parse(stdout)).toMatchObject({ done: ['one-shot'] });
    } finally {
      await other.stop();
    }
  });

  test('a second one on the same folder says who has it and ends with 2', async () => {
    const flags = ['--sandbox=none', '--api-addr=127.0.0.1:0', `--data-dir=${service.dataDir}`];
    const { code, stdout, stderr } = await runService(['serve', durableAgents, ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      `This agent folder is already served by process ${service.pid} at ${service.url}`,
    );
    expect(await send(service.url, 'GET', '/health')).toMatchObject({ status: 'ok' });
  });
});
