/**
 * Bundles with forged values against a service that owns its folders, so that everything it and its guests do to the
 * file system can be reported. A failure names its seed; `judge(seed)` is all that it takes to see it again.
 * @module-tag seeds
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { canariesIn, inertRecords, type Canary } from '../fixtures/canaries.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { packedBundle, type ForgedLine } from '../fixtures/forged-bundle.ts';
import { forgedLines, linesOf } from '../fixtures/forged-thread.ts';
import { firstSeed, isNight } from '../fixtures/seeds.ts';
import { send, type RunResponse } from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { canTrace, hasStrace, traceWrites, type WriteTrace } from '../fixtures/traced-writes.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const agents = fileURLToPath(new URL('../fixtures/forged-agents', import.meta.url));
const agentOf = { python: 'reader_py', javascript: 'reader_ts' } as const;
type Language = keyof typeof agentOf;
const languages: Language[] = ['python', 'javascript'];

const CASES = 16;
const MORE_CASES = isNight ? 400 : 60;
const LIMIT_MS = 1_800_000;

const isTraced = canTrace();
/** In CI it has to be installed, since `.ci/run` installs it; whether the machine lets it trace is the machine's business. */
const isSkipped = !isTraced && (hasStrace() || process.env['CI'] === undefined);
if (isSkipped) {
  const why = hasStrace() ? 'strace may not trace on this machine' : 'there is no strace here';
  process.stdout.write(`SKIPPED: ${why}: writes are not traced.\n`);
}

let root: string;
let service: ServiceProcess;
let trace: WriteTrace;
let canaries: Canary[];
const threads = {} as Record<Language, ForgedLine[]>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'forged-bundles-'));
  const own = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true });
    return join(root, name);
  };
  trace = traceWrites(own('trace'));
  canaries = canariesIn(own('canary'));
  service = await startService({
    agents,
    dataDir: join(root, 'data'),
    flags: ['--interpreter', testPython()],
    under: isTraced ? trace.words : [],
    environment: {
      HOME: own('home'),
      TMPDIR: own('tmp'),
      XDG_CONFIG_HOME: own('config'),
      XDG_DATA_HOME: own('share'),
      XDG_STATE_HOME: own('state'),
      // Guests are installed into it once, which takes minutes.
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
      CANARY: own('canary'),
      SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '20',
    },
  });
  await whenHealthy(service.url);
  for (const language of languages) threads[language] = await realThread(language);
  trace.forget();
}, 600_000);

afterAll(async () => {
  await service.stop();
  await rm(root, { recursive: true });
});

/** The lines of a thread with a completed run and an open question. */
async function realThread(language: Language): Promise<ForgedLine[]> {
  const threadId = `real-${language}`;
  await send(service.url, 'POST', '/threads', { thread_id: threadId });
  const kept = ['text', { nested: [1, null] }];
  for (const input of [{ kept }, { kept, ask: true }]) await run(threadId, language, { input });
  const bundle = await fetch(`${service.url}/threads/${threadId}/bundle`);
  return linesOf(new Uint8Array(await bundle.arrayBuffer()));
}

async function run(threadId: string, language: Language, body: object): Promise<RunResponse> {
  const path = `/threads/${threadId}/runs?wait=60s`;
  return send(service.url, 'POST', path, { agent_id: agentOf[language], ...body });
}

/** Imports one file, and has a guest read and continue from the result. Returns whether there was one. */
async function judge(seed: number): Promise<boolean> {
  const threadId = `t${seed}`;
  const language = seed % 4 < 2 ? 'python' : 'javascript';
  const values = [...canaries.map(({ stored }) => stored), ...inertRecords];
  const lines = forgedLines(threads[language], { threadId, seed, values });
  const response = await fetch(`${service.url}/bundles`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/gzip' },
    body: packedBundle(lines),
  });
  const text = await response.text();
  expect([201, 400, 409, 413], `seed ${seed}: ${text}`).toContain(response.status);
  if (response.status !== 201) return false;
  const { thread_id: id } = JSON.parse(text) as { thread_id: string };
  const outcome = await exercise(id, language);
  const search = await call(`${service.url}/threads/search`, 'POST', { limit: 1_000 });
  expect({ ...outcome, search: search.status, fired: fired() }, `seed ${seed}`).toEqual({
    failed: [],
    crashed: [],
    search: 200,
    fired: [],
  });
  await call(`${service.url}/threads/${encodeURIComponent(id)}`, 'DELETE');
  return true;
}

/** Reads in every way that has a guest revive values, and runs; returns what failed, and runs that lost their guest. */
async function exercise(threadId: string, language: Language) {
  const thread = `/threads/${encodeURIComponent(threadId)}`;
  const compat = `/compat/langgraph${thread}`;
  const runs = `${thread}/runs?wait=60s`;
  const agent = { agent_id: agentOf[language] };
  const requests: [path: string, body?: object][] = [
    [thread],
    [`${thread}/state`],
    [`${thread}/history`],
    [`${compat}/state`],
    [`${compat}/history`],
    [runs, { ...agent, command: { resume: 'continue' } }],
    [runs, { ...agent, input: {} }],
    [`${thread}/state`, { shown: 'updated' }],
    [runs, { ...agent, input: { ask: true } }],
    [`${thread}/copy`, {}],
    [`${thread}/state`],
    [`${thread}/history`],
    [`${thread}/runs`],
  ];
  const failed: string[] = [];
  const crashed: unknown[] = [];
  for (const [path, body] of requests) {
    const response = await call(service.url + path, body ? 'POST' : 'GET', body);
    if (response.status >= 500)
      failed.push(`${path} ${response.status} ${JSON.stringify(response.body)}`);
    const { last_failure: failure } = (response.body ?? {}) as { last_failure?: unknown };
    if (path === runs && failure !== undefined) crashed.push(response.body);
  }
  return { failed, crashed };
}

/** The canaries that were revived. */
function fired(): string[] {
  return readdirSync(join(root, 'canary'));
}

async function judgeAll(first: number, count: number): Promise<number> {
  let accepted = 0;
  for (let seed = first; seed < first + count; seed += 1) if (await judge(seed)) accepted += 1;
  return accepted;
}

/** A file that comes in, until it has been read; no name in it is from a client. */
const UPLOAD = /^agent-runtime-bundle-\w{6}(\/bundle\.jsonl\.gz)?$/;

/**
 * What was tried to write elsewhere than into the data directory. Databases that are opened at their first use make the
 * directory itself if it is missing.
 */
function elsewhere(): string[] {
  const mayWrite = (path: string): boolean =>
    (path + sep).startsWith(service.dataDir + sep) ||
    UPLOAD.test(relative(join(root, 'tmp'), path));
  const tried = trace.writes().filter(({ path }) => !mayWrite(path) && path !== '/dev/null');
  return tried.map(({ call: name, path }) => `${name} ${path}`);
}

describe("LangGraph's own serialisers", () => {
  it.each(languages)('believe these values (%s)', async (language) => {
    const theirs = canaries.filter(({ believer }) => believer === language);
    const believe = theirs.map(({ stored }) => stored);
    await send(service.url, 'POST', '/threads', { thread_id: `believer-${language}` });
    await run(`believer-${language}`, language, { input: { believe } });
    const names = theirs.map(({ name }) => name).sort();
    expect(fired().sort()).toEqual(names);
    if (isTraced) {
      const folders = names.map((name) => `mkdir ${join(root, 'canary', name)}`);
      await waitUntil('the trace to show it', 20_000, () =>
        folders.every((line) => elsewhere().includes(line)),
      );
    }
    for (const name of names) rmSync(join(root, 'canary', name), { recursive: true });
    trace.forget();
  });
});

describe('a service', () => {
  const seeds = (first: number, count: number): string => `seeds ${first} to ${first + count - 1}`;

  it(
    `refuses a forged file, or shows it and continues from it without running its code, ${seeds(1, CASES)}`,
    async () => {
      expect(await judgeAll(1, CASES)).toBeGreaterThan(CASES / 2);
    },
    LIMIT_MS,
  );

  const more = firstSeed + CASES;
  it(
    `does so whatever is in it, ${seeds(more, MORE_CASES)}`,
    { tags: 'release', timeout: LIMIT_MS },
    async () => {
      expect(await judgeAll(more, MORE_CASES)).toBeGreaterThan(MORE_CASES / 2);
    },
  );

  it.skipIf(isSkipped)(
    'has written nothing beside its data directory and the files that came in',
    () => {
      expect(isTraced).toBe(true);
      expect(trace.writes().length).toBeGreaterThan(0);
      expect(elsewhere()).toEqual([]);
    },
  );
});
