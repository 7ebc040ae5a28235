/** @module-tag release */
/** Real guests, each with one run that holds its process in another way: what of it is a sign of life takes seconds. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { GuestPool } from '../../src/guest/pool/guest-pool.ts';
import { guestLimits } from '../../src/guest/limits.ts';
import { startGuests } from '../../src/guest/pool/start-guests.ts';
import type { AgentId } from '../../src/model/ids.ts';
import { testPython } from '../fixtures/durable-service.ts';
import { testInvocation } from '../fixtures/invocation.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Also a guest on a busy machine reports within this time that it lives. */
const STUCK_AFTER_MS = 6_000;
/** Longer than that, in seconds. */
const HELD_S = 9;

const python = `
import ctypes, os, signal, time
from typing_extensions import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    text: str

async def hold(state: State) -> State:
    how = state["text"]
    if how == "sleep":
        time.sleep(${HELD_S})
    if how == "compute":
        until = time.monotonic() + ${HELD_S}
        while time.monotonic() < until:
            pass
    if how == "lock":
        ctypes.PyDLL(None).sleep(60)  # keeps the interpreter lock, as native code may
    if how == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    return {"text": "done"}

graph = StateGraph(State).add_node(hold).add_edge(START, "hold").add_edge("hold", END).compile()
`;

const typescript = `
import { execSync } from 'node:child_process';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ text: Annotation<string> });

function hold({ text }: typeof State.State): typeof State.Update {
  if (text === 'sleep') execSync('sleep ${HELD_S}');
  const until = performance.now() + ${HELD_S * 1_000};
  while (text === 'compute' && performance.now() < until);
  if (text === 'stop') process.kill(process.pid, 'SIGSTOP');
  return { text: 'done' };
}

export const graph = new StateGraph(State)
  .addNode('hold', hold)
  .addEdge(START, 'hold')
  .addEdge('hold', END)
  .compile();
`;

const agents = [
  { agentId: 'py' as AgentId, language: 'python', path: './agent.py:graph' },
  { agentId: 'ts' as AgentId, language: 'javascript', path: './agent.ts:graph' },
] as const;

let folder = '';
let guests: GuestPool;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stuck-'));
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'agent.py'), python);
  await writeFile(path.join(folder, 'agent.ts'), typescript);
  guests = startGuests({
    sourceDir: folder,
    manifest: { agents },
    interpreter: testPython(),
    environment: { PATH: process.env['PATH'] ?? '' },
    maxMessageBytes: 50 * 1024 * 1024,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    cacheDir: path.join(root, '.cache'),
    onProgress: () => undefined,
    reload: false,
    size: 1,
    limits: { ...guestLimits, isolatedAtOnce: 8 },
    stuckAfterMs: STUCK_AFTER_MS,
  });
  await guests.settled(AbortSignal.timeout(110_000));
});

afterAll(async () => {
  await guests.close();
  await rm(folder, { recursive: true });
});

// At once, since all they do is wait: each has its own guest.
describe.concurrent('a guest whose run', () => {
  it.each([
    ['py', 'waits in its event loop', 'sleep'],
    ['py', 'computes in its event loop', 'compute'],
    ['ts', 'waits in its event loop for a program', 'sleep'],
    ['ts', 'computes in its event loop', 'compute'],
  ])('(%s) %s is left alone', { timeout: 60_000 }, async (agentId, _, text) => {
    expect(await endOf(agentId, text)).toEqual({ kind: 'completed', output: '{"text":"done"}' });
  });

  it.each([
    ['py', 'keeps the interpreter lock', 'lock'],
    ['py', 'stops the process', 'stop'],
    ['ts', 'stops the process', 'stop'],
  ])(
    '(%s) %s is killed, and the run is no crash',
    { timeout: 60_000 },
    async (agentId, _, text) => {
      const language = agentId === 'py' ? 'python' : 'javascript';
      expect(await endOf(agentId, text)).toEqual({
        kind: 'infra',
        message: `The ${language} guest gave no sign of life for 6 s (guest.stuck_after) and was killed.`,
        wasStuck: true,
      });
    },
  );
});

function endOf(agentId: string, text: string): Promise<unknown> {
  const changes = { agentId: agentId as AgentId, isIsolated: true };
  return guests.invoke(testInvocation({ text }, changes).invocation, new AbortController().signal);
}
