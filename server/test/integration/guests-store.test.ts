import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { GuestPool } from '../../src/guest/guest-pool.ts';
import { startGuests } from '../../src/guest/start-guests.ts';
import type { AgentId } from '../../src/model/ids.ts';
import { openGuestStore, type RecordedStore } from '../fixtures/guest-store.ts';
import { testInvocation } from '../fixtures/invocation.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const never = new AbortController().signal;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const python = `
from typing_extensions import TypedDict
from langgraph.graph import StateGraph, START
from langgraph.store.base import BaseStore

class State(TypedDict, total=False):
    space: str
    report: dict

async def use(state: State, *, store: BaseStore):
    space = state["space"]
    await store.aput((space, "ada"), "color", {"name": "red", "n": 1})
    store.put((space, "ada"), "number", {"name": "seven", "n": 7})
    await store.aput((space, "bob"), "gone", {"name": "x"})
    await store.adelete((space, "bob"), "gone")
    await store.aput((space, "eve"), "size", {"name": "xl", "n": 3})
    item = await store.aget((space, "ada"), "color")
    large = await store.asearch((space,), filter={"n": {"$gt": 1}})
    page = await store.asearch((space,), limit=1, offset=1)
    return {"report": {
        "item": item.value,
        "year": item.created_at.year,
        "missing": await store.aget((space, "bob"), "gone"),
        "large": [found.key for found in large],
        "page": [found.key for found in page],
        "spaces": await store.alist_namespaces(prefix=(space,)),
        "suffix": await store.alist_namespaces(prefix=(space, "*"), suffix=("eve",)),
        "top": await store.alist_namespaces(prefix=(space,), max_depth=1),
    }}

graph = StateGraph(State).add_node(use).add_edge(START, "use").compile()
`;

const typescript = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ space: Annotation(), report: Annotation() });

export const graph = new StateGraph(State)
  .addNode('use', async ({ space }, { store }) => {
    await store.put([space, 'ada'], 'color', { name: 'red', n: 1 });
    await store.put([space, 'ada'], 'number', { name: 'seven', n: 7 });
    await store.put([space, 'bob'], 'gone', { name: 'x' });
    await store.delete([space, 'bob'], 'gone');
    await store.put([space, 'eve'], 'size', { name: 'xl', n: 3 });
    const item = await store.get([space, 'ada'], 'color');
    const large = await store.search([space], { filter: { n: { $gt: 1 } } });
    const page = await store.search([space], { limit: 1, offset: 1 });
    return {
      report: {
        item: item.value,
        year: item.createdAt.getUTCFullYear(),
        missing: await store.get([space, 'bob'], 'gone'),
        large: large.map(({ key }) => key),
        page: page.map(({ key }) => key),
        spaces: await store.listNamespaces({ prefix: [space] }),
        suffix: await store.listNamespaces({ prefix: [space, '*'], suffix: ['eve'] }),
        top: await store.listNamespaces({ prefix: [space], maxDepth: 1 }),
      },
    };
  })
  .addEdge(START, 'use')
  .compile();
`;

let folder: string;
let guests: GuestPool;
let store: RecordedStore;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'guests-store-'));
  store = openGuestStore(path.join(folder, 'store.db'));
  await writeFile(path.join(folder, 'agent.py'), python);
  await writeFile(path.join(folder, 'agent.mjs'), typescript);
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  guests = startGuests({
    sourceDir: folder,
    manifest: {
      agents: [
        { agentId: 'py' as AgentId, language: 'python', path: './agent.py:graph' },
        { agentId: 'js' as AgentId, language: 'javascript', path: './agent.mjs:graph' },
      ],
    },
    ...(process.env['TEST_PYTHON'] && { interpreter: process.env['TEST_PYTHON'] }),
    environment,
    maxMessageBytes: 8 * 1024 * 1024,
    logger: silent,
    cacheDir: path.join(folder, 'cache'),
    reload: false,
    size: 1,
    store,
  });
  await guests.settled(AbortSignal.timeout(110_000));
}, 120_000);

afterAll(async () => {
  await guests.close();
  await store.close();
  await rm(folder, { recursive: true });
});

describe.each(['py', 'js'])('the store of an agent (%s)', (agent) => {
  const agentId = agent as AgentId;
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
      principal,
    });
  });

  it('says why it refuses', async () => {
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
