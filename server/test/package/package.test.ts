/** @module-tag release */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readBundleFile } from '../../src/bundle/read-bundle.ts';
import { evaluatorFiles } from '../../src/policy/rego/build-evaluator.ts';
import { collect } from '../fixtures/collect.ts';
import { allGone, descendants, type KnownProcess } from '../fixtures/process-tree.ts';
import { waitUntil } from '../fixtures/wait-until.ts';
import { installProject, type InstalledProject, packServer } from './installed-project.ts';
import { run, runToEnd } from './machine.ts';

const COMMAND_LIMIT_MS = 180_000;

let parent: string;
let project: InstalledProject;
let server: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'package-'));
  project = await installProject(parent, await packServer(join(parent, 'release')));
  server = join(project.folder, 'node_modules/@agent-runtime/server');
}, 1_800_000);
afterAll(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));

let running: Serving | undefined;
afterEach(() => running?.kill());

const python = process.env['TEST_PYTHON'] ?? 'python3';
const flags = ['--sandbox', 'none', '--interpreter', python];
const limits = () => ({ cwd: project.folder, env: project.env, limitMs: COMMAND_LIMIT_MS });

interface Serving {
  url: string;
  pid: number;
  output(): string;
  ended: Promise<number | null>;
  processes(): KnownProcess[];
  kill(): void;
}

/** `service serve` of the installed package, started by the machine's own Node. */
async function serve(environment: Record<string, string> = {}): Promise<Serving> {
  const location = ['--data-dir', join(parent, 'data'), '--api-addr', '127.0.0.1:0'];
  const words = [join(server, 'bin/service.js'), 'serve', '.', ...flags, ...location];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    join(project.bin, 'node'),
    words,
    {
      cwd: project.folder,
      env: { ...project.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => (text += String(bytes)));
  }
  const exit = once(child, 'exit') as Promise<[number | null]>; // what node gives with it
  const url = await waitUntil('the address', COMMAND_LIMIT_MS, () => {
    if (child.exitCode !== null) throw new Error(`The service did not start:\n${text}`);
    return /^Listening on (\S+)$/m.exec(text)?.[1];
  });
  const pid = child.pid ?? 0;
  const serving: Serving = {
    url,
    pid,
    output: () => text,
    ended: exit.then(([code]) => code),
    processes: () => descendants(pid),
    kill: () => void child.kill('SIGKILL'),
  };
  running = serving;
  await waitUntil('good health', COMMAND_LIMIT_MS, async () => (await fetch(`${url}/health`)).ok);
  return serving;
}

async function ask(url: string, method = 'GET', body?: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method,
    ...(body && { headers, body: JSON.stringify(body) }),
  });
  return response.json();
}

it('brings its own Node, its programs, its policy evaluator and its command', async () => {
  const platform = `${process.platform}-${process.arch}`;
  const programs = join(server, `../engine-${platform}/bin`);
  expect(readdirSync(programs).toSorted()).toEqual(['engine', 'images']);
  expect(readdirSync(join(server, 'policy')).toSorted()).toEqual(evaluatorFiles.toSorted());
  const npx = join(project.bin, 'npx');
  const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
  expect((await run(npx, ['service', '--version'], limits())).trim()).toBe(version);
  expect(await run(npx, ['node', '--version'], limits())).toBe(`${process.version}\n`);
});

it('runs an agent once, in TypeScript and in Python, and exits with the code of its end', async () => {
  const command = ['service', 'run', '.', ...flags];
  const triage = [...command, '--agent', 'triage', '--input', '{"ticket": "My invoice is wrong"}'];
  const ended = await runToEnd(join(project.bin, 'npx'), triage, limits());
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('of this package')]);
  expect(JSON.parse(ended.stdout)).toMatchObject({ category: 'billing' });
  const failed = await runToEnd(
    join(project.bin, 'npx'),
    [...command, '--agent', 'chat', '--input', '{"messages": 1}'],
    limits(),
  );
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  const policies = fileURLToPath(
    new URL('../../../examples/policies/owner-only.yaml', import.meta.url),
  );
  const denied = await runToEnd(
    join(project.bin, 'npx'),
    [...triage, '--policy', policies],
    limits(),
  );
  expect([denied.code, denied.stderr]).toEqual([4, expect.stringContaining('denies')]);
});

it('serves agents, store, studio and documents, and leaves no process behind at its stop', async () => {
  const storeFile = join(parent, 'store.db');
  const service = await serve({
    SERVICE_STORE_PROVIDER: 'sqlite',
    SERVICE_STORE_SQLITE_DB_PATH: storeFile,
  });
  const { url } = service;
  const input = { messages: [{ role: 'user', content: 'Hello' }] };
  expect(await ask(`${url}/runs/wait`, 'POST', { agent_id: 'chat', input })).toMatchObject({
    status: 'completed',
    output: { messages: [{}, { content: 'You said: "Hello".' }] },
  });
  const ticket = { ticket: 'My invoice is wrong' };
  expect(
    await ask(`${url}/runs/wait`, 'POST', { agent_id: 'triage', input: ticket }),
  ).toMatchObject({ status: 'completed', output: { category: 'billing' } });

  await fetch(`${url}/store/items`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ namespace: ['users'], key: 'theme', value: { dark: true } }),
  });
  expect(existsSync(storeFile)).toBe(true);
  const page = await fetch(`${url}/studio/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('assets/')]);
  expect((await fetch(`${url}/swagger-ui/`)).status).toBe(200);
  expect(await ask(`${url}/openapi.json`)).toMatchObject({ openapi: '3.1.0' });

  const processes = service.processes();
  expect(processes.map(({ command }) => command).join('\n')).toMatch(/start-dev[^]*main\.js/);
  process.kill(service.pid, 'SIGTERM');
  expect(await service.ended).toBe(0);
  await allGone(processes, 5_000);
});

it('leaves no process behind when the one that started it is killed', async () => {
  const service = await serve();
  const processes = service.processes();
  expect(processes.length).toBeGreaterThanOrEqual(3);
  process.kill(service.pid, 'SIGKILL');
  await allGone(processes, 30_000);
});

it('runs the steps of the example workflow for a CI, with what they leave as artifacts', async () => {
  const file = new URL('../../../examples/ci/agents.yml', import.meta.url);
  const { jobs, env } = parse(readFileSync(file, 'utf8')) as Workflow; // our own file
  const { steps } = jobs.run;
  const install = steps.findIndex(({ name }) => name === 'Install');
  const commands = steps.slice(install + 1).flatMap(({ run: script }) => script ?? []);
  expect(commands.join('\n').match(/npx service run/g)).toHaveLength(2);
  expect(Object.keys(env)).toEqual(['SERVICE_LICENSE_KEY', 'SERVICE_GUEST_SANDBOX']);
  const runner = {
    ...limits(),
    env: {
      ...project.env,
      SERVICE_GUEST_SANDBOX: env['SERVICE_GUEST_SANDBOX'],
      SERVICE_GUEST_INTERPRETER: python,
      PATH: `${project.bin}:/usr/bin:/bin`,
    },
  };
  for (const script of commands) {
    // As the runner starts a step that names no shell.
    const step = await runToEnd('/bin/bash', ['-e', '-c', script], runner);
    expect([step.code, step.stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  }
  const kinds = (await collect(readBundleFile(join(project.folder, 'approval.bundle')))).map(
    (item) => (item.kind === 'header' ? item.kind : item.record.kind),
  );
  expect(kinds).toEqual(expect.arrayContaining(['header', 'thread', 'run']));
  const kept = steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact'));
  for (const path of ['triage.json', 'approval.json']) expect(kept?.with?.path).toContain(path);
});

interface Workflow {
  env: Record<string, string>;
  jobs: { run: { steps: Step[] } };
}

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: { path?: string };
}
