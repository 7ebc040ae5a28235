/**
 * Threads move from one engine to another in a file, and continue there. The commands start their own engines,
 * and services are started on what they leave. The same files go through the API in service/bundles.test.ts.
 * @module-tag release
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BundleRecord } from '../../src/bundle/bundle-record.ts';
import { readBundleFile } from '../../src/bundle/read-bundle.ts';
import { encodeBundle } from '../../src/bundle/write-bundle.ts';
import { call } from '../fixtures/call.ts';
import { getRun, type RunResponse } from '../fixtures/service-client.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { startCommand } from '../fixtures/service-command.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { recordOf } from '../fixtures/wire-patterns.ts';

const agents = fileURLToPath(new URL('../../../examples', import.meta.url));

/** Each of them starts several engines. */
vi.setConfig({ testTimeout: 300_000 });

let folder: string;
let running: ServiceProcess | undefined;
const house = (name: string): string => join(folder, name);
const file = (): string => join(folder, 'all.bundle.jsonl.gz');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moving-house-'));
});

afterAll(async () => {
  await running?.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
});

async function serve(name: string): Promise<string> {
  running = await startService({
    agents,
    dataDir: house(name),
    flags: ['--interpreter', testPython()],
    environment: { SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '20' },
  });
  await whenHealthy(running.url);
  return running.url;
}

async function move(...words: string[]) {
  return startCommand(['threads', ...words]).ended;
}

async function post(url: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await call(url, 'POST', body);
  if (response.status >= 300) throw new Error(JSON.stringify(response.body));
  return response.body as Record<string, unknown>; // every POST here returns an object
}

const chat = (text: string) => ({
  agent_id: 'chat',
  input: { messages: [{ role: 'user', content: text }] },
});
const ticket = { agent_id: 'triage', input: { ticket: 'The app shows an error when I log in.' } };

/** Everything that HTTP returns about a thread. */
/** A file has no run history: a moved thread has no title of its own. */
function withoutHistory(thread: unknown): unknown {
  const { title: _, last_activity_at: __, ...kept } = thread as Record<string, unknown>; // the contract
  return kept;
}

async function readThread(url: string, threadId: string): Promise<unknown> {
  const base = `${url}/threads/${threadId}`;
  const { body: runs } = await call(`${base}/runs`);
  const single = [];
  for (const run of runs as { run_id: string }[]) single.push(await getRun(url, run.run_id));
  return {
    thread: withoutHistory((await call(base)).body),
    state: (await call(`${base}/state`)).body,
    history: (await call(`${base}/history?limit=1000`)).body,
    runs: (runs as RunResponse[]).map(recordOf),
    single,
  };
}

const settledThreads = [
  'chat-1',
  'ask-1',
  'breakpoint-1',
  'triage-1',
  'article-1',
  'empty',
  'failed',
];

async function live(url: string): Promise<void> {
  for (const threadId of [...settledThreads, 'busy-1']) {
    await post(`${url}/threads`, { thread_id: threadId, metadata: { team: 'a', name: threadId } });
  }
  const run = (threadId: string, body: unknown) =>
    post(`${url}/threads/${threadId}/runs?wait=90s`, body);
  await run('chat-1', chat('My name is Ada.'));
  await run('chat-1', chat('What is my name?'));
  await run('ask-1', { agent_id: 'approval', input: { order: '9', amount: 500 } });
  await run('triage-1', ticket);
  await run('breakpoint-1', { ...ticket, interrupt_before: ['answer', 'escalate'] });
  await run('article-1', { agent_id: 'article', input: { topic: 'durable agents' } });
  await run('failed', { agent_id: 'approval', input: {} });
}

describe('threads that move to another engine', () => {
  it('are exported in one file, read there as they were, and run on', async () => {
    const oldUrl = await serve('old');
    await live(oldUrl);
    const before: Record<string, unknown> = {};
    for (const threadId of settledThreads) before[threadId] = await readThread(oldUrl, threadId);

    const refused = await move('export', agents, '--data-dir', house('old'), '--out', file());
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/already served by process \d+ at http.* Stop it first/);
    const slow = {
      agent_id: 'research',
      input: { question: 'What makes agents durable?', delay: 3 },
    };
    await post(`${oldUrl}/threads/busy-1/runs`, slow);
    await post(`${oldUrl}/threads/busy-1/runs`, chat('I wait behind it.'));
    await waitUntil('a checkpoint of the slow run', 60_000, async () => {
      const { body } = await call(`${oldUrl}/threads/busy-1/history`);
      return (body as unknown[]).length > 0;
    });
    await running?.kill();

    const { code, stdout, stderr } = await move(
      'export',
      agents,
      '--data-dir',
      house('old'),
      '--out',
      file(),
    );
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('8 of 8 threads'),
    });
    expect(stdout).toMatch(/^8 threads in .*all\.bundle\.jsonl\.gz, \d/);
    expect((await readdir(folder)).sort()).toEqual(['all.bundle.jsonl.gz', 'old']);

    const importing = ['import', agents, file(), '--data-dir', house('new')];
    const checked = await move(...importing, '--dry-run');
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('8 threads:') });
    expect(checked.stdout).toMatch(
      /^According to the file, it was made by .*this is not verified\.$/m,
    );
    expect((await readdir(folder)).sort()).toEqual(['all.bundle.jsonl.gz', 'old']);
    const first = await move(...importing, '--resume-runs');
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('8 threads imported') });
    expect(first.stderr).toContain('2 runs had not ended: they continue at the next start.');

    const url = await serve('new');
    const after: Record<string, unknown> = {};
    for (const threadId of settledThreads) after[threadId] = await readThread(url, threadId);
    expect(after).toEqual(before);

    // Runs that were cut off or queued, new ones, answers to interrupts.
    const runs = async () =>
      (await call(`${url}/threads/busy-1/runs`)).body as { status: string }[];
    await waitUntil('the runs that had not ended', 90_000, async () => {
      return (await runs()).every((run) => run.status !== 'running');
    });
    expect(await runs()).toMatchObject([
      { agent_id: 'chat', status: 'completed' },
      { agent_id: 'research', status: 'completed', attempt: 2, last_failure: 'INFRA' },
    ]);

    const run = (threadId: string, body: unknown) =>
      post(`${url}/threads/${threadId}/runs?wait=90s`, body);
    const continued = await run('chat-1', chat('And now?'));
    expect(continued).toMatchObject({ status: 'completed' });
    expect((continued['output'] as { messages: unknown[] }).messages.length).toBeGreaterThanOrEqual(
      6,
    );
    const resume = { agent_id: 'approval', command: { resume: { approved: true, by: 'Ada' } } };
    expect(await run('ask-1', resume)).toMatchObject({
      status: 'completed',
      output: { approved_by: 'Ada', result: 'Refunded 500.00 for order 9.' },
    });
    expect(await run('breakpoint-1', { agent_id: 'triage' })).toMatchObject({
      status: 'completed',
      output: { log: [expect.stringContaining('classified'), expect.any(String)] },
    });
    expect(await run('triage-1', ticket)).toMatchObject({ status: 'completed' });
    expect(
      await run('failed', { agent_id: 'approval', input: { order: '1', amount: 1 } }),
    ).toMatchObject({
      status: 'completed',
    });
    // Time travel to a checkpoint that came along.
    const history = (await call(`${url}/threads/triage-1/history?limit=100`)).body as {
      checkpoint: { checkpoint_id: string };
    }[];
    expect(history.length).toBeGreaterThan(3);
    await running?.stop();
  });
});

describe('the bundle of one run', () => {
  const flags = (): string[] => ['--sandbox', 'none', '--interpreter', testPython()];
  async function records(path: string): Promise<Record<string, unknown>[]> {
    const lines = gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>); // every line is an object
  }

  it('is written when the run waits for an answer, and can be resumed elsewhere', async () => {
    const path = join(folder, 'run.bundle.jsonl.gz');
    const input = JSON.stringify({ order: '7', amount: 300 });
    const words = ['run', agents, '--agent', 'approval', '--input', input, '--bundle', path];
    const { code, stderr } = await startCommand([...words, ...flags()]).ended;
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining(path) });
    const all = await records(path);
    const kinds = new Set(all.map(({ kind }) => kind));
    for (const kind of ['thread', 'run', 'agent', 'checkpoint', 'blob', 'event']) {
      expect(kinds).toContain(kind);
    }
    expect(all[0]).toMatchObject({ kind: 'header', contents: 'run' });
    expect(all.find(({ kind }) => kind === 'agent')).toMatchObject({
      agent_id: 'approval',
      version: expect.stringMatching(/^([0-9a-f]{40}|sha256:[0-9a-f]{64})$/),
    });
    const threadId = String(all.find(({ kind }) => kind === 'thread')?.['thread_id']);

    const imported = await move('import', agents, path, '--data-dir', house('new'));
    expect(imported).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    const url = await serve('new');
    const resumed = await post(`${url}/threads/${threadId}/runs?wait=90s`, {
      agent_id: 'approval',
      command: { resume: true },
    });
    expect(resumed).toMatchObject({ status: 'completed', output: { approved: true } });
    await running?.stop();
  });

  it('is written when the run fails, with the output of the agent', async () => {
    const path = join(folder, 'failed.bundle.jsonl.gz');
    const words = ['run', agents, '--agent', 'approval', '--input', '{}', '--bundle', path];
    const { code } = await startCommand([...words, ...flags()]).ended;
    expect(code).toBe(1);
    const run = (await records(path)).find(({ kind }) => kind === 'run');
    expect(run).toMatchObject({ status: 'error', error: { code: 'agent_error' } });
  });
});

it('an import leaves out threads whose ids are taken, and takes one of them under another', async () => {
  const path = join(folder, 'ten.bundle.jsonl.gz');
  await writeFile(path, await manyThreads(10));
  const importing = (...words: string[]) =>
    move('import', agents, path, '--data-dir', house('ten'), ...words);
  expect(await importing()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('10 threads imported'),
  });
  const again = await importing();
  expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('0 threads imported') });
  expect(again.stderr).toMatch(/10 threads left out, because the id is taken: .* and 5 more/);
  expect(await importing('--skip-existing')).toMatchObject({ code: 0 });
  expect(await importing('--thread', 'many-001', '--as', 'copy')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 thread imported'),
  });
});

describe('a killed or stopped command', () => {
  it('leaves no half file and no half thread', async () => {
    const path = join(folder, 'many.bundle.jsonl.gz');
    await writeFile(path, await manyThreads(200));
    const kill = startCommand(['threads', 'import', agents, path, '--data-dir', house('many')]);
    await kill.printed(/Imported \d+ of 200 threads/);
    kill.signal('SIGKILL');
    await kill.ended;
    const words = [agents, path, '--data-dir', house('many'), '--skip-existing'];
    const stopped = startCommand(['threads', 'import', ...words]);
    await stopped.printed(/Imported \d+ of 200 threads/);
    stopped.signal('SIGINT');
    expect(await stopped.ended).toMatchObject({ code: 130 });
    const rest = await move('import', ...words);
    expect(rest).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Imported \d+ of 200 threads/),
    });

    const out = join(folder, 'out.bundle.jsonl.gz');
    const exporting = ['threads', 'export', agents, '--data-dir', house('many'), '--out', out];
    const killed = startCommand(exporting);
    await killed.printed(/Exported \d+ of 200 threads/);
    killed.signal('SIGKILL');
    await killed.ended;
    const interrupted = startCommand(exporting);
    await interrupted.printed(/Exported \d+ of 200 threads/);
    interrupted.signal('SIGINT');
    expect(await interrupted.ended).toMatchObject({ code: 130 });
    expect((await readdir(folder)).filter((name) => name.startsWith('out.'))).toEqual([]);

    const whole = await startCommand(exporting).ended;
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^200 threads in/) });
    const reported = whole.stderr.match(/Exported \d+ of 200 threads/g) ?? [];
    expect(reported.at(-1)).toBe('Exported 200 of 200 threads');
    expect(await threadsIn(out)).toEqual(await threadsIn(path));
  });
});

/** A file of threads with a checkpoint each. */
async function manyThreads(count: number): Promise<Buffer> {
  async function* records(): AsyncGenerator<BundleRecord> {
    for (let index = 0; index < count; index += 1) {
      const id = `many-${String(index).padStart(3, '0')}`;
      const typed = { tag: 'json', base64: Buffer.from(`"${id}"`).toString('base64') };
      yield {
        kind: 'thread',
        thread_id: id,
        created_at: 1_000 + index,
        updated_at: 2_000,
        metadata: { id },
        is_ephemeral: false,
        revision: 1,
        queue: [],
      };
      yield {
        kind: 'checkpoint',
        ns: '',
        checkpoint_id: `c-${index}`,
        ts: '2026-01-01T00:00:00Z',
        run_uuid: 'outside',
        skeleton: typed,
        metadata: typed,
        metadata_json: '{}',
        versions: { a: '1' },
        writes: [],
      };
      yield { kind: 'blob', ns: '', channel: 'a', version: '1', value: typed, json: `"${id}"` };
    }
  }
  const chunks: Buffer[] = [];
  const bundle = { contents: 'threads', productVersion: '0.0.0', records: records() } as const;
  for await (const chunk of encodeBundle(bundle)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

/** The lines of every thread of a file, whatever their order. */
async function threadsIn(path: string): Promise<string[]> {
  const threads: string[] = [];
  for await (const item of readBundleFile(path)) {
    if (item.kind !== 'record') continue;
    const line = JSON.stringify(item.record);
    if (item.record.kind === 'thread') threads.push(line);
    else threads.push(`${threads.pop() ?? ''}\n${line}`);
  }
  return threads.sort();
}
