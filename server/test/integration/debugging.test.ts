import { once } from 'node:events';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { readManifest } from '../../src/agents/manifest.ts';
import type { DebugProvider } from '../../src/guest/debugging.ts';
import type { GuestPool } from '../../src/guest/guest-pool.ts';
import { guestLimits } from '../../src/guest/limits.ts';
import type { InvocationEnd } from '../../src/guest/port.ts';
import { startGuests } from '../../src/guest/start-guests.ts';
import type { AgentId } from '../../src/model/ids.ts';
import { attachDebugpy, attachInspector, PydevdIde } from '../fixtures/debug-clients.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { testInvocation, testUpdate } from '../fixtures/invocation.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const never = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const python = `import os, signal
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START, END

class State(TypedDict):
    text: str

def answer(state):
    word = state["text"]
    if word == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"text": "python " + word}

async def finish(state):
    reply = state["text"]
    return {"text": reply + "!"}

graph = (
    StateGraph(State)
    .add_node(answer)
    .add_node(finish)
    .add_edge(START, "answer")
    .add_edge("answer", "finish")
    .add_edge("finish", END)
    .compile()
)
`;
const RETURN_OF_ANSWER = 12;
const RETURN_OF_FINISH = 16;

const typescript = `import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ text: Annotation<string> });

interface Reply {
  text: string;
}

function answer({ text }: typeof State.State): Reply {
  const reply: string = 'typescript ' + text;
  return { text: reply };
}

export const graph = new StateGraph(State)
  .addNode('answer', answer)
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
`;
const RETURN_OF_TYPESCRIPT = 11;

vi.setConfig({ testTimeout: 240_000 });

/** A busy machine takes its time to start a guest with a debugger. */
const START_LIMIT_MS = 120_000;

/**
 * Those of a guest that nobody debugs: so short that a held guest would not live through them, and long enough for the
 * guests beside it to answer on a busy machine.
 */
const limits = {
  ...guestLimits,
  readyMs: START_LIMIT_MS,
  livenessEveryMs: 200,
  blockedMs: 2_000,
  controlCallMs: 2_500,
  stateUpdateMs: 2_500,
  lastWriteMs: 2_500,
  readAfterWriteMs: 2_500,
  cancelGraceMs: 500,
  stopGraceMs: 1_000,
  debugDialEveryMs: 50,
  debugFrozenMs: 500,
};
const HELD_MS = 5_000;

let folder = '';
let pool: GuestPool;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'debugged-')));
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const graphs = { py: './agent.py:graph', ts: './agent.ts:graph' };
  await writeFile(path.join(folder, 'agent.json'), JSON.stringify({ graphs }));
  await writeFile(path.join(folder, 'agent.py'), python);
  await writeFile(path.join(folder, 'agent.ts'), typescript);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  pool = startGuests({
    sourceDir: folder,
    manifest: await readManifest(folder),
    interpreter: testPython(),
    environment: inherited(),
    maxMessageBytes: 50 * 1024 * 1024,
    logger: silent,
    cacheDir: path.join(root, '.cache'),
    onProgress: () => undefined,
    reload: false,
    isHeldBack: true,
    limits,
  });
});
afterEach(() => pool.close());

function inherited(): Record<string, string> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** The pool with a debugger on; answers its port. */
async function startDebugging(
  provider: DebugProvider,
  options: { port?: number; options?: Record<string, string> } = {},
): Promise<number> {
  const view = await pool.debugging.start({ provider, port: 0, ...options });
  // The IDE of pydevd listens already: it may be reached before the guest has told of its debugger, or after.
  const states = provider === 'pydevd' ? ['waiting', 'attached'] : ['waiting'];
  expect(states).toContain(view.state);
  expect(view.provider).toBe(provider);
  pool.start();
  return view.port ?? 0;
}

async function ready(): Promise<void> {
  await waitUntil('guests', START_LIMIT_MS, () => pool.health().ok);
}

function run(agent: string, text: string, signal: AbortSignal = never): Promise<InvocationEnd> {
  const { invocation } = testInvocation({ text }, { agentId: agent as AgentId }); // of the manifest
  invocation.config = { configurable: { thread_id: 'thread', run_id: invocation.runUuid } };
  return pool.invoke(invocation, signal);
}

function becomes(state: string): Promise<unknown> {
  return waitUntil(
    `the state ${state}`,
    START_LIMIT_MS,
    () => pool.debugging.view().state === state,
  );
}

const completed = (text: string) => ({ kind: 'completed', output: JSON.stringify({ text }) });

describe('debugpy', () => {
  const file = (): string => path.join(folder, 'agent.py');

  it('stops runs at breakpoints in sync and async nodes, shows what they see, and lets them go on', async () => {
    const port = await startDebugging('debugpy');
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER, RETURN_OF_FINISH]);
    await becomes('attached');
    await ready();
    const end = run('py', 'hi');
    expect(await client.stopped()).toMatchObject({
      file: file(),
      line: RETURN_OF_ANSWER,
      variables: { word: "'hi'" },
    });
    await client.resume();
    expect(await client.stopped()).toMatchObject({
      line: RETURN_OF_FINISH,
      variables: { reply: "'python hi'" },
    });
    await client.resume();
    expect(await end).toEqual(completed('python hi!'));
    await client.detach();
    await becomes('waiting');
  });

  it('holds a run, and what else is asked of its guest, beyond every limit', async () => {
    const port = await startDebugging('debugpy');
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER]);
    await ready();
    const end = run('py', 'hi');
    await client.stopped();
    const [pid] = [pool.debugging.view().pid];
    const { update } = testUpdate({ text: 'set' }, { agentId: 'py' as AgentId }); // of the manifest
    const updated = pool.updateState(update, never);
    expect(await run('ts', 'other')).toEqual(completed('typescript other'));
    await pause(HELD_MS);
    expect(pool.debugging.view()).toMatchObject({ state: 'attached', pid });
    await client.resume();
    expect(await end).toEqual(completed('python hi!'));
    expect(await updated).toEqual({ values: '{"text":"set"}' });
    await client.detach();
    expect(pool.debugging.view().pid).toBe(pid);
  });

  it('lets a held run end when the debugger is stopped, and goes back to ordinary guests', async () => {
    const port = await startDebugging('debugpy');
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER]);
    await ready();
    const { pid } = pool.debugging.view();
    const end = run('py', 'hi');
    await client.stopped();
    expect(await pool.debugging.stop()).toEqual({ state: 'off' });
    expect(await end).toEqual(completed('python hi!'));
    expect(await run('py', 'again')).toEqual(completed('python again!'));
    expect(pool.pids()).not.toContain(pid);
    await expect(isListening(port)).resolves.toBe(false);
  });

  it('replaces a guest that is held while its run is cancelled, on the same port', async () => {
    const port = await startDebugging('debugpy');
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER]);
    await ready();
    const { pid } = pool.debugging.view();
    const stop = new AbortController();
    const end = run('py', 'hi', stop.signal);
    await client.stopped();
    stop.abort();
    expect(await end).toEqual({ kind: 'cancelled' });
    await waitUntil('another guest', START_LIMIT_MS, () => {
      const view = pool.debugging.view();
      return view.state === 'waiting' && view.pid !== pid;
    });
    const next = await attachDebugpy(port, file(), [RETURN_OF_FINISH]);
    const again = run('py', 'again');
    await next.stopped();
    await next.resume();
    expect(await again).toEqual(completed('python again!'));
    await next.detach();
  });

  it('comes back on the same port after a crash', async () => {
    const port = await startDebugging('debugpy');
    await ready();
    const { pid } = pool.debugging.view();
    expect(await run('py', 'crash')).toMatchObject({ kind: 'crash' });
    await waitUntil('another guest', START_LIMIT_MS, () => {
      const view = pool.debugging.view();
      return view.state === 'waiting' && view.pid !== pid;
    });
    expect(pool.debugging.view().port).toBe(port);
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER]);
    const end = run('py', 'hi');
    await client.stopped();
    await client.resume();
    expect(await end).toEqual(completed('python hi!'));
    await client.detach();
  });

  it('imports no agent before a client is there when it is to wait for one', async () => {
    const port = await startDebugging('debugpy', { options: { 'wait-for-client': 'true' } });
    const end = run('py', 'hi');
    await pause(1_000);
    expect(pool.health().ok).toBe(false);
    const client = await attachDebugpy(port, file(), [RETURN_OF_ANSWER]);
    await client.stopped();
    await client.resume();
    expect(await end).toEqual(completed('python hi!'));
    await client.detach();
  });

  it('lets runs in flight finish on the guest that they have', async () => {
    pool.start();
    await ready();
    const before = pool.pids();
    await startDebugging('debugpy');
    expect(await run('py', 'hi')).toEqual(completed('python hi!'));
    const { pid } = pool.debugging.view();
    expect(before).not.toContain(pid);
    expect(await run('py', 'hi', never)).toEqual(completed('python hi!'));
    // What follows a crash shares the one guest, too.
    const { invocation } = testInvocation({ text: 'x' }, { agentId: 'py' as AgentId }); // of the manifest
    await pool.invoke({ ...invocation, isIsolated: true }, never);
    expect(pool.debugging.view().pid).toBe(pid);
  });
});

describe('a debugger that cannot be had', () => {
  it('says that its port is taken, and leaves the guests', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const view = await pool.debugging.start({ provider: 'debugpy', port });
    expect(view.state).toBe('failed');
    expect(view.message).toMatch(
      new RegExp(`^The debug port ${port} is taken, .* choose another one with --debug-port\\.$`),
    );
    await expect(pool.debugging.begin({ provider: 'debugpy', port })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    server.close();
    pool.start();
    expect(await run('py', 'hi')).toEqual(completed('python hi!'));
  });

  it('says which option it does not know', async () => {
    const options = { speed: '1' };
    expect(await pool.debugging.start({ provider: 'inspector', port: 0, options })).toMatchObject({
      state: 'failed',
      message: 'inspector has no option "speed"; there are wait-for-client.',
    });
  });
});

it('lets inspectors stop JavaScript agents, at the lines of their own source', async () => {
  const file = path.join(folder, 'agent.ts');
  const port = await startDebugging('inspector');
  await ready();
  await fetch(`http://127.0.0.1:${port}/json/list`);
  expect(pool.debugging.view().state).toBe('waiting');
  const client = await attachInspector(port, file, [RETURN_OF_TYPESCRIPT]);
  await becomes('attached');
  const end = run('ts', 'hi');
  expect(await client.stopped()).toMatchObject({
    file,
    line: RETURN_OF_TYPESCRIPT,
    variables: { text: 'hi', reply: 'typescript hi' },
  });
  await pause(HELD_MS);
  expect(await run('py', 'other')).toEqual(completed('python other!'));
  await client.resume();
  expect(await end).toEqual(completed('typescript hi'));
  await client.detach();
  await becomes('waiting');
});

it('makes an inspector wait for its client before any agent is imported', async () => {
  const file = path.join(folder, 'agent.ts');
  const port = await startDebugging('inspector', { options: { 'wait-for-client': 'true' } });
  const end = run('ts', 'hi');
  const client = await attachInspector(port, file, [RETURN_OF_TYPESCRIPT]);
  await client.stopped();
  await client.resume();
  expect(await end).toEqual(completed('typescript hi'));
  await client.detach();
});

it('dials an IDE that listens for pydevd, also one that comes late or comes back', async () => {
  const file = path.join(folder, 'agent.py');
  const first = await PydevdIde.listen(file, [RETURN_OF_ANSWER, RETURN_OF_FINISH]);
  const { port } = first;
  await startDebugging('pydevd', { port });
  await ready();
  await becomes('attached');
  const end = run('py', 'hi');
  const stop = await first.stopped();
  expect(stop).toMatchObject({ file, line: RETURN_OF_ANSWER, variables: { word: 'hi' } });
  await pause(HELD_MS);
  first.resume(stop.thread);
  const second = await first.stopped();
  expect(second).toMatchObject({ line: RETURN_OF_FINISH, variables: { reply: 'python hi' } });
  first.resume(second.thread);
  expect(await end).toEqual(completed('python hi!'));
  await first.close();
  await becomes('waiting');
  expect(await run('py', 'alone')).toEqual(completed('python alone!'));

  const back = await PydevdIde.listen(file, [RETURN_OF_ANSWER], port);
  await becomes('attached');
  await pause(1_000);
  const again = run('py', 'again');
  await back.stopped();
  // An IDE that goes away lets go of what it held.
  await back.close();
  expect(await again).toEqual(completed('python again!'));
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}
