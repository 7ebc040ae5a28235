import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testPython } from '../fixtures/durable-service.ts';
import { ledgerEntry, readLedger } from '../fixtures/ledger.ts';
import { runService } from '../fixtures/run-service.ts';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type RunResponse,
} from '../fixtures/service-client.ts';
import { releaseUnless, serviceAgents, sharedService } from '../fixtures/shared-service.ts';
import { startService } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const AT_ONCE = 16;
const labels = Array.from({ length: AT_ONCE }, (_, index) => `run ${index}`);
const url = sharedService();

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concurrency-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(['py', 'ts'])('sixteen runs (%s)', (language) => {
  const agent = `append_${language}`;

  test('at once on sixteen threads all finish', releaseUnless(language === 'py'), async () => {
    const ledger = join(folder, `at-once-${language}`);
    const until = join(folder, `all-run-${language}`);
    const runs = await Promise.all(
      labels.map((label) => createRun(url, { agent_id: agent, input: { ledger, label, until } })),
    );
    await waitUntil('all to run at once', 60_000, () => readLedger(ledger).length === AT_ONCE);
    await writeFile(until, '');
    const finals = await Promise.all(runs.map(({ run_id: id }) => awaitRun(url, id)));
    expect(finals.map(({ status, output }) => ({ status, done: output?.done }))).toEqual(
      labels.map((label) => ({ status: 'completed', done: [label] })),
    );
  });

  test(
    'queued on one thread all finish, in their order',
    releaseUnless(language === 'ts'),
    async () => {
      const ledger = join(folder, `queued-${language}`);
      const until = join(folder, `all-queued-${language}`);
      const threadId = await createThread(url);
      const runs: RunResponse[] = [];
      for (const label of labels) {
        const body = { agent_id: agent, input: { ledger, label, until } };
        const run = await createRun(url, body, threadId);
        expect(run.status).toBe('running');
        runs.push(run);
      }
      await ledgerEntry(ledger, 'the first run', ({ label }) => label === labels[0]);
      await writeFile(until, '');
      const finals = await Promise.all(runs.map(({ run_id: id }) => awaitRun(url, id)));
      expect(finals.map(({ status }) => status)).toEqual(labels.map(() => 'completed'));
      expect(readLedger(ledger).map(({ label }) => label)).toEqual(labels);
      const state = await send<{ values: { done: string[] } }>(
        url,
        'GET',
        `/threads/${threadId}/state`,
      );
      expect(state.values.done).toEqual(labels);
    },
  );
});

// A second service, and a third process that runs one agent: they must not get into each other's way.
test(
  'two services of different folders and a one-shot run work side by side',
  { tags: 'release' },
  async () => {
    const agents = join(folder, 'other-agents');
    await cp(join(serviceAgents, 'append.py'), join(agents, 'append.py'), { recursive: true });
    const manifest = { graphs: { append_py: './append.py:graph' } };
    await writeFile(join(agents, 'agent.json'), JSON.stringify(manifest));
    const other = await startService({ agents, flags: ['--interpreter', testPython()] });
    try {
      const onService = async (at: string, label: string): Promise<unknown> => {
        const { run_id: id } = await createRun(at, { agent_id: 'append_py', input: { label } });
        return (await awaitRun(at, id)).output?.done;
      };
      const oneShot = runService([
        ...['run', agents, '--sandbox=none', `--interpreter=${testPython()}`],
        ...['--agent=append_py', `--input=${JSON.stringify({ label: 'one-shot' })}`],
      ]);
      const [one, two, { code, stdout }] = await Promise.all([
        onService(url, 'one'),
        onService(other.url, 'two'),
        oneShot,
      ]);
      expect([one, two, code]).toEqual([['one'], ['two'], 0]);
      expect(JSON.parse(stdout)).toMatchObject({ done: ['one-shot'] });
    } finally {
      await other.stop();
    }
  },
);
