/**
 * Search by meaning, and items that expire: what `store.index` and `store.ttl` of a manifest do, with an embedding
 * function in the agent folder. A separate service, because they are settings of the manifest.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';
import { waitUntil } from '../fixtures/wait-until.ts';

/** Words as directions: the more words two texts share, the nearer they are. */
const embedding = `
from zlib import crc32

DIMS = 64

def embed(texts):
    if any("unspeakable" in text for text in texts):
        raise ValueError("no vector for this")
    return [vector(text) for text in texts]

def vector(text):
    numbers = [0.0] * DIMS
    for word in "".join(c if c.isalnum() else " " for c in text.lower()).split():
        numbers[crc32(word.encode()) % DIMS] += 1.0
    return numbers
`;

/** Remembers and recalls as LangChain's memory-agent does; `compare` does the same with LangGraph's own store. */
const agent = `
from typing import Any
from embedding import DIMS, embed
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    user: str
    memories: list[str]
    query: str
    found: Any
    oracle: Any

async def remember(state: State, *, store: BaseStore) -> State:
    for number, content in enumerate(state.get("memories", [])):
        await store.aput(("memories", state["user"]), f"m{number}", {"content": content})
    return {}

async def recall(state: State, *, store: BaseStore) -> State:
    found = await store.asearch(("memories", state["user"]), query=state["query"], limit=2)
    return {"found": [[item.value["content"], round(item.score, 3)] for item in found]}

def remember_in_thread(state: State, *, store: BaseStore) -> State:
    for number, content in enumerate(state.get("memories", [])):
        store.put(("memories", state["user"]), f"m{number}", {"content": content})
    return {}

def recall_in_thread(state: State, *, store: BaseStore) -> State:
    found = store.search(("memories", state["user"]), query=state["query"], limit=2)
    return {"found": [[item.value["content"], round(item.score, 3)] for item in found]}

async def block(state: State, *, store: BaseStore) -> State:
    return remember_in_thread({**state, "memories": ["something"]}, store=store)

PUTS = [
    (("a",), {"text": "green tea in the morning", "n": 1, "tags": ["tea", "warm drinks"]}, None),
    (("b",), {"text": "coffee after lunch", "n": 2}, ["text"]),
    (("c",), {"text": "tea", "n": 3, "chapters": [{"t": "tea pots"}, {"t": "cups"}]}, ["chapters[*].t"]),
    (("d",), {"text": "green tea in the morning", "n": 4}, False),
    (("e", "f"), {"text": "a walk in the green park", "n": 5, "deep": {"er": "tea time"}}, ["deep.er", "text"]),
    (("g",), {"other": 1, "n": 0}, ["text"]),
]
SEARCHES = [
    ((), {"query": "green tea"}),
    ((), {"query": "green tea", "limit": 2}),
    ((), {"query": "green tea", "limit": 2, "offset": 1}),
    ((), {"query": "tea pots", "filter": {"n": {"$gte": 3}}}),
    ((), {"query": "lunch", "filter": {"n": 2}}),
    (("e",), {"query": "park"}),
    (("nowhere",), {"query": "park"}),
    ((), {"query": ""}),
    ((), {}),
]

async def compare(state: State, *, store: BaseStore) -> State:
    oracle = InMemoryStore(index={"dims": DIMS, "embed": embed, "fields": ["text"]})
    root = ("compare", state["user"])
    results = []
    for one in (store, oracle):
        for path, value, index in PUTS:
            await one.aput((*root, *path), "k", value, index=index)
        await one.aput((*root, "b"), "k", {"text": "tea after lunch", "n": 2})
        await one.adelete((*root, "missing"), "k")
        results.append([
            [
                ["/".join(i.namespace[2:]), None if i.score is None else round(i.score, 4)]
                for i in await one.asearch((*root, *path), **how)
            ]
            for path, how in SEARCHES
        ])
    return {"found": results[0], "oracle": results[1]}

def chain(*nodes):
    return StateGraph(State).add_sequence(nodes).add_edge(START, nodes[0].__name__).compile()

memory = chain(remember, recall)
threaded = chain(remember_in_thread, recall_in_thread)
blocking = chain(block)
comparing = chain(compare)
`;

const javascript = `
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ user: Annotation, query: Annotation, found: Annotation });
async function recall({ user, query }, { store }) {
  await store.put(['memories', user], 'js', { content: 'sailing on a lake' });
  await store.put(['memories', user], 'not', { content: 'sailing on a lake' }, false);
  const found = await store.search(['memories', user], { query, limit: 10 });
  return { found: found.map(({ key, score }) => [key, score === undefined ? null : score > 0.4]) };
}
export const graph = new StateGraph(State)
  .addNode('recall', recall).addEdge(START, 'recall').addEdge('recall', END).compile();
`;

let folder = '';
let service: ServiceProcess;
let client: Client;
beforeAll(async () => {
  // Below the repository's packages, for the JavaScript agent.
  folder = await mkdtemp(join(import.meta.dirname, '.store-index-'));
  const manifest = {
    graphs: {
      memory: './agent.py:memory',
      threaded: './agent.py:threaded',
      blocking: './agent.py:blocking',
      comparing: './agent.py:comparing',
      javascript: './agent.mjs:graph',
    },
    store: {
      index: { dims: 64, embed: './embedding.py:embed', fields: ['content', 'text'] },
      ttl: { sweep_interval_minutes: 0.005 },
    },
  };
  await writeFile(join(folder, 'embedding.py'), embedding);
  await writeFile(join(folder, 'agent.py'), agent);
  await writeFile(join(folder, 'agent.mjs'), javascript);
  await writeFile(join(folder, 'langgraph.json'), JSON.stringify(manifest));
  service = await startService({
    agents: folder,
    flags: ['--interpreter', testPython()],
    environment: {
      SERVICE_STORE_PROVIDER: 'sqlite',
      SERVICE_STORE_SQLITE_DB_PATH: join(folder, 'data', 'store.db'),
    },
  });
  await whenHealthy(service.url);
  client = new Client({
    apiUrl: `${service.url}/compat/langgraph`,
    callerOptions: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(agentId: string, input: object) {
  const { body } = await call(`${service.url}/runs/wait`, 'POST', { agent_id: agentId, input });
  return body as { status: string; output: Record<string, unknown>; error?: { message: string } };
}

it.each(['memory', 'threaded'])('the agent %s finds its memories by what they mean', async (id) => {
  const memories = ['I like green tea', 'My cat is called Tom', 'Tea is best when it is green'];
  const { output } = await run(id, { user: randomUUID(), memories, query: 'green tea' });
  expect(output).toMatchObject({
    found: [
      ['I like green tea', 0.707],
      ['Tea is best when it is green', 0.471],
    ],
  });
});

it("finds what LangGraph's own store finds, with the same scores", async () => {
  const { output } = await run('comparing', { user: randomUUID() });
  expect(output['oracle']).toHaveLength(9);
  expect(output['found']).toEqual(output['oracle']);
});

it('embeds for agents of the other language, too', async () => {
  const { output } = await run('javascript', { user: randomUUID(), query: 'lake' });
  expect(output['found']).toEqual([
    ['js', true],
    ['not', null],
  ]);
});

it('refuses the call that would wait for itself', async () => {
  const { status, error } = await run('blocking', { user: randomUUID() });
  expect([status, error?.message]).toEqual(['error', expect.stringMatching(/await store\.aput/)]);
});

it('embeds what comes over HTTP, in both APIs', async () => {
  const space = randomUUID();
  await client.store.putItem([space], 'tea', { content: 'a cup of tea' });
  await client.store.putItem([space], 'hidden', { content: 'a cup of tea' }, { index: false });
  await client.store.putItem([space], 'title', { title: 'tea' }, { index: ['title'] });
  const route = `${service.url}/store/items?namespace=${space}`;
  const item = { value: { content: 'a train' }, metadata: { m: 1 } };
  expect(await call(`${route}&key=train`, 'PUT', item)).toMatchObject({ status: 204 });
  const { items } = await client.store.searchItems([space], { query: 'tea' });
  expect(items.map(({ key, score }) => [key, score && Math.round(score * 100) / 100])).toEqual([
    ['title', 1],
    ['tea', 0.5],
    ['train', 0],
    ['hidden', null],
  ]);
  const search = { namespace: [space], query: 'train', filter: { m: 1 } };
  const found = await call(`${service.url}/store/items/search`, 'POST', search);
  expect(found.body).toEqual({
    items: [expect.objectContaining({ key: 'train', ...item, score: expect.closeTo(0.7071, 3) })],
  });
});

it('refuses what cannot be embedded, and loses nothing', async () => {
  const space = randomUUID();
  const route = `${service.url}/store/items?namespace=${space}&key=k`;
  await call(route, 'PUT', { value: { content: 'before' } });
  const refused = await call(route, 'PUT', { value: { content: 'unspeakable' } });
  expect([refused.status, refused.body]).toMatchObject([
    502,
    { code: 'embedding_failed', message: expect.stringMatching(/ValueError: no vector for this/) },
  ]);
  expect((await call(route)).body).toMatchObject({ value: { content: 'before' } });
  const unindexed = await call(route, 'PUT', { value: { content: 'unspeakable' }, index: false });
  expect(unindexed.status).toBe(204);
});

it('keeps items for as long as their put sets, and counts what it removes', async () => {
  const space = randomUUID();
  await client.store.putItem([space], 'short', { n: 1 }, { ttl: 0.002 });
  await client.store.putItem([space], 'long', { n: 1 }, { ttl: 5 });
  await waitUntil('the end of the item', 10_000, async () => {
    // Not refreshed: looking would keep it.
    const { items } = await client.store.searchItems([space], { refreshTtl: false });
    return items.length === 1;
  });
  await waitUntil('the sweep', 10_000, async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^service_store_items_expired_total (\d+)/m.exec(text)?.[1]) >= 1;
  });
  const wrong = client.store.putItem([space], 'wrong', { n: 1 }, { ttl: -1 });
  await expect(wrong).rejects.toThrow(/ttl/);
});
