/** Real guests of a manifest with both languages, started once. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { AgentRegistry } from '../../src/agents/agent-registry.ts';
import { readManifest } from '../../src/agents/manifest.ts';
import type { GuestPool } from '../../src/guest/pool/guest-pool.ts';
import { startGuests } from '../../src/guest/pool/start-guests.ts';
import { compositeRunId, type AgentId, type RunId } from '../../src/model/ids.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { openGuestStore, type RecordedStore } from '../fixtures/guest-store.ts';
import { testInvocation, testUpdate } from '../fixtures/invocation.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const agents = fileURLToPath(new URL('../fixtures/guest-agents', import.meta.url));
const never = new AbortController().signal;
/** Also on a busy machine, where a guest takes its time to start. */
const SOON_MS = 60_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

let folder = '';
let guests: GuestPool;
let registry: AgentRegistry;
let store: RecordedStore;
let storeFolder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agents-'));
  // Not in the agents' folder, which is watched.
  storeFolder = await mkdtemp(path.join(tmpdir(), 'guests-store-'));
  store = openGuestStore(path.join(storeFolder, 'store.db'));
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await cp(agents, folder, { recursive: true });
  const read = await readManifest(folder);
  registry = new AgentRegistry(read.agents);
  guests = startGuests({
    sourceDir: folder,
    manifest: read,
    interpreter: testPython(),
    environment: { ...inherited(), ...read.environment },
    maxMessageBytes: 50 * 1024 * 1024,
    logger: silent,
    cacheDir: path.join(root, '.cache'),
    onProgress: () => undefined,
    onDescribed: (described) => registry.learn(described),
    reload: true,
    size: 1,
    store,
  });
  await guests.settled(AbortSignal.timeout(110_000));
});

afterAll(async () => {
  await guests.close();
  await store.close();
  await rm(storeFolder, { recursive: true });
  await rm(folder, { recursive: true });
});

function inherited(): Record<string, string> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

async function run(
  agent: string,
  text: string,
  signal: AbortSignal = never,
): Promise<{ end: unknown; ids: string[]; runId: RunId }> {
  const { invocation, session } = testInvocation({ text }, { agentId: agent as AgentId });
  invocation.config = { configurable: { thread_id: 'thread', run_id: invocation.runUuid } };
  const end = await guests.invoke(invocation, signal);
  return { end, ids: session.ids, runId: compositeRunId(invocation.threadId, invocation.runUuid) };
}

describe('real guests of a manifest with both languages', () => {
  it('run their graphs with the environment and keep every step', async () => {
    expect(guests.health()).toEqual({ ok: true });
    for (const [agent, text] of [
      ['py', 'python hello'],
      ['ts', 'typescript hello'],
    ] as const) {
      const { end, ids } = await run(agent, 'hi');
      expect(end).toEqual({ kind: 'completed', output: JSON.stringify({ text }) });
      expect(ids).toHaveLength(3);
    }
  });

  it.each(['py', 'ts'])('change the state of a thread between its runs (%s)', async (agent) => {
    const agentId = agent as AgentId;
    const { update, session } = testUpdate({ text: 'first' }, { agentId });
    const first = { values: '{"text":"first"}', hasNext: true };
    expect(await guests.updateState(update, never)).toEqual(first);
    expect(session.ids).toHaveLength(1);

    const start = { kind: 'proceed' } as const;
    const { invocation } = testInvocation({}, { agentId, start, checkpoints: session });
    expect(await guests.invoke(invocation, never)).toMatchObject({ kind: 'completed' });
    const wrong = testUpdate({ txt: 'second' }, { agentId, checkpoints: session }).update;
    await expect(guests.updateState(wrong, never)).rejects.toMatchObject({
      code: 'invalid_request',
      message: "The agent's state has no key 'txt'; it has text.",
    });
  });

  it.each([
    ['py', { type: 'object', properties: { text: { type: 'string' } } }],
    ['ts', { type: 'object', properties: { text: {} } }],
  ])('describe the schemas and the graph of an agent (%s)', async (agent, schema) => {
    const agentId = agent as AgentId;
    const plain = await guests.describeAgent(agentId, {}, never);
    expect(plain).toEqual({ agentId });
    const full = await guests.describeAgent(agentId, { schemas: true, graph: true }, never);
    expect(JSON.parse(full.inputSchema ?? '')).toMatchObject(schema);
    expect(JSON.parse(full.configSchema ?? '')).toMatchObject({ type: 'object' });
    expect(JSON.parse(full.graph ?? '')).toMatchObject({
      nodes: [{ type: 'start' }, { id: 'answer', type: 'node' }, { type: 'end' }],
      edges: [{ target: 'answer' }, { source: 'answer', conditional: false }],
    });
    await expect(guests.describeAgent('no' as AgentId, {}, never)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
  });

  it.each([
    ['py', 'ts', 'This thread was run by a Python agent'],
    ['ts', 'py', 'This thread was run by a JavaScript agent'],
  ])('do not continue a thread of the other language (%s)', async (first, second, sentence) => {
    const { invocation, session } = testInvocation({ text: 'a' }, { agentId: first as AgentId });
    await guests.invoke(invocation, never);
    const changes = { agentId: second as AgentId, checkpoints: session };
    const next = testInvocation({ text: 'b' }, changes).invocation;
    expect(await guests.invoke(next, never)).toMatchObject({
      kind: 'error',
      error: { code: 'agent_error', message: expect.stringContaining(sentence) },
    });
    const { update } = testUpdate({ text: 'c' }, changes);
    await expect(guests.updateState(update, never)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(sentence),
    });
  });

  it('give the output of an agent to its run', async () => {
    const { runId } = await run('py', 'a word');
    await waitUntil('its output', SOON_MS, () => guests.output.read(runId).length > 0);
    expect(guests.output.read(runId)).toMatchObject([
      { stream: 'stdout', text: 'python got a word' },
    ]);
  });

  it('start although an agent cannot be imported, and report why', async () => {
    expect(registry.resolve('missing')).toMatchObject({
      error: { message: expect.stringContaining('no_such_module') },
    });
    const { end } = await run('missing', 'hi');
    expect(end).toMatchObject({
      kind: 'error',
      error: { traceback: expect.stringContaining('missing.py') },
    });
  });

  it("end a run as error when the agent's code raises", async () => {
    const { end } = await run('py', 'raise');
    expect(end).toMatchObject({
      kind: 'error',
      error: { code: 'agent_error', message: 'no', type: 'ValueError', node: 'answer' },
    });
  });

  describe.each([
    ['ts', []],
    ['py', ['release']],
  ])('that crash', (agent, tags) => {
    it(`are replaced (${agent})`, { tags }, async () => {
      expect((await run(agent, 'crash')).end).toMatchObject({ kind: 'crash' });
      expect((await run(agent, 'hi')).end).toMatchObject({ kind: 'completed' });
    });
  });

  it('stop a run that is cancelled', async () => {
    const stop = new AbortController();
    const { invocation } = testInvocation({ text: 'hang' }, { agentId: 'py' as AgentId });
    const end = guests.invoke(invocation, stop.signal);
    const runId = compositeRunId(invocation.threadId, invocation.runUuid);
    await waitUntil('its output', SOON_MS, () => guests.output.read(runId).length > 0);
    stop.abort();
    expect(await end).toEqual({ kind: 'cancelled' });
  });

  it('run the new code after the source has changed', async () => {
    const agentId = 'py' as AgentId;
    const drawn = async (): Promise<string | undefined> =>
      (await guests.describeAgent(agentId, { graph: true }, never)).graph;
    expect(await drawn()).not.toContain('"renamed"');
    const file = path.join(folder, 'agent.py');
    const source = await readFile(file, 'utf8');
    const renamed = source
      .replaceAll('"answer"', '"renamed"')
      .replace('"python " +', '"newer python " +');
    await writeFile(file, renamed);
    await vi.waitFor(
      async () => {
        const { end } = await run('py', 'hi');
        expect(end).toEqual({ kind: 'completed', output: '{"text":"newer python hello"}' });
      },
      { timeout: SOON_MS, interval: 200 },
    );
    expect(await drawn()).toContain('"renamed"');
  });
});

describe.each(['py', 'ts'])('the store of an agent (%s)', (agent) => {
  const agentId = `store_${agent}` as AgentId;
  const principal = { sub: 'ada' };

  it('is the one of the host, on behalf of the run', async () => {
    const { invocation } = testInvocation({ space: agent }, { agentId });
    invocation.config = { configurable: { thread_id: 'thread', principal } };
    const years = [new Date().getUTCFullYear()];
    const end = await guests.invoke(invocation, never);
    years.push(new Date().getUTCFullYear());
    expect(end.kind === 'completed' ? JSON.parse(end.output) : end).toMatchObject({
      report: {
        item: { name: 'red', n: 1 },
        year: expect.toBeOneOf(years),
        missing: null,
        large: ['number', 'size'],
        page: ['number'],
        spaces: [
          [agent, 'ada'],
          [agent, 'eve'],
        ],
        suffix: [[agent, 'eve']],
        top: [[agent]],
      },
    });
    expect(store.callers.at(-1)).toEqual({
      threadId: 'thread',
      runUuid: invocation.runUuid,
      agentId,
      principal,
    });
  });

  it('reports why it refuses', async () => {
    const { invocation } = testInvocation({ space: 'forbidden' }, { agentId });
    invocation.config = { configurable: { thread_id: 'thread', principal } };
    expect(await guests.invoke(invocation, never)).toMatchObject({
      kind: 'error',
      error: {
        code: 'permission_denied',
        message: 'The policy denies service:store:put on mrn:service:store:forbidden.ada/color.',
      },
    });
  });
});
