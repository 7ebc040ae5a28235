/** Checkpoints of a sub-graph that waits for an answer, over HTTP, of agents in both languages. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import {
  awaitRun,
  createRun,
  createThread,
  send,
  type RunAnswer,
} from '../fixtures/service-client.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const python = `
from langgraph.graph import StateGraph, START, END
from langgraph.types import interrupt
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    text: str
    answer: str

def draft(state: State) -> State:
    return {"text": state["text"] + " drafted"}

def ask(state: State) -> State:
    return {"answer": interrupt("Is it good?")}

def publish(state: State) -> State:
    return {"text": state["text"] + " published"}

child = StateGraph(State).add_node(draft).add_node(ask)
child.add_edge(START, "draft").add_edge("draft", "ask").add_edge("ask", END)
graph = StateGraph(State).add_node("child", child.compile()).add_node(publish)
graph = graph.add_edge(START, "child").add_edge("child", "publish").add_edge("publish", END).compile()
`;
const typescript = `
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ text: Annotation<string>, answer: Annotation<string> });

const child = new StateGraph(State)
  .addNode('draft', ({ text }: typeof State.State) => ({ text: text + ' drafted' }))
  .addNode('ask', () => ({ answer: interrupt('Is it good?') as string }))
  .addEdge(START, 'draft')
  .addEdge('draft', 'ask')
  .addEdge('ask', END)
  .compile();

export const graph = new StateGraph(State)
  .addNode('child', child)
  .addNode('publish', ({ text }: typeof State.State) => ({ text: text + ' published' }))
  .addEdge(START, 'child')
  .addEdge('child', 'publish')
  .addEdge('publish', END)
  .compile();
`;

interface Entry {
  checkpoint: { thread_id: string; checkpoint_ns: string; checkpoint_id: string };
  parent_checkpoint?: Entry['checkpoint'];
  values: Record<string, unknown>;
}

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'subgraph-checkpoints-'));
  const graphs = { py: './agent.py:graph', ts: './agent.ts:graph' };
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'agent.json'), JSON.stringify({ graphs }));
  await writeFile(join(folder, 'agent.py'), python);
  await writeFile(join(folder, 'agent.ts'), typescript);
  service = await startService({
    agents: folder,
    flags: ['--interpreter', testPython()],
    environment: { SERVICE_ENGINE_MAX_CHECKPOINT_HISTORY: '10' },
  });
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const history = (threadId: string, checkpoint_ns: string): Promise<Entry[]> =>
  send(service.url, 'POST', `/threads/${threadId}/history`, { checkpoint: { checkpoint_ns } });

describe.each(['py', 'ts'])('a sub-graph that asks (%s)', (agent) => {
  let threadId = '';
  let ns = '';

  beforeAll(async () => {
    threadId = await createThread(service.url);
    const body = { agent_id: agent, input: { text: 'it' } };
    const path = `/threads/${threadId}/runs?wait=30s`;
    const run = await send<RunAnswer>(service.url, 'POST', path, body);
    if (run.status !== 'interrupted') throw new Error(JSON.stringify(run));
    const all = await history(threadId, '*');
    ns =
      all.find(({ checkpoint }) => checkpoint.checkpoint_ns !== '')?.checkpoint.checkpoint_ns ?? '';
  });

  it('has the entries of its namespace in the history, the newest first', async () => {
    expect(ns).toMatch(/^child:/);
    const [head, ...older] = await history(threadId, ns);
    expect(head).toMatchObject({
      checkpoint: { thread_id: threadId, checkpoint_ns: ns },
      values: { text: 'it drafted' },
    });
    expect(older.length).toBeGreaterThanOrEqual(1);
    for (const { checkpoint, values } of older) {
      expect(checkpoint).toMatchObject({ thread_id: threadId, checkpoint_ns: ns });
      expect(values).not.toMatchObject({ text: 'it drafted' });
    }
    const root = await history(threadId, '');
    expect(root.length).toBeGreaterThanOrEqual(1);
    for (const entry of root) {
      expect(entry).toMatchObject({ checkpoint: { checkpoint_ns: '' } });
      expect(entry.values).not.toMatchObject({ text: 'it drafted' });
    }
  });

  it('names the parent of a checkpoint while that is retained, in the same shape', async () => {
    for (const namespace of ['', ns]) {
      const entries = await history(threadId, namespace);
      expect(entries.length).toBeGreaterThan(1);
      for (const [index, { parent_checkpoint }] of entries.entries()) {
        expect(parent_checkpoint).toEqual(entries[index + 1]?.checkpoint);
      }
    }
  });

  it('has the head of its namespace as a state', async () => {
    const [head] = await history(threadId, ns);
    const path = `/threads/${threadId}/state/checkpoint`;
    const state = await send(service.url, 'POST', path, { checkpoint: { checkpoint_ns: ns } });
    expect(state).toMatchObject({
      thread_id: threadId,
      values: head?.values,
      checkpoint: head?.checkpoint,
    });
    expect(head?.values).toMatchObject({ text: 'it drafted' });
  });

  it('stays behind when the thread is copied: only the root goes along', async () => {
    const answer = await send<RunAnswer>(service.url, 'POST', `/threads/${threadId}/copy`, {});
    const copy = answer.thread_id;
    const [head] = await history(threadId, '');
    expect(await history(copy, '*')).toMatchObject([
      { checkpoint: { thread_id: copy, checkpoint_ns: '' }, values: head?.values },
    ]);
    expect(await history(copy, ns)).toEqual([]);
    const path = `/threads/${copy}/state/checkpoint`;
    const body = { checkpoint: { checkpoint_ns: ns } };
    expect(await send(service.url, 'POST', path, body, [404])).toMatchObject({
      code: 'checkpoint_not_found',
    });
    // Not for want of anything to copy: the original still has it and goes on from there.
    const resume = { agent_id: agent, command: { resume: 'yes' } };
    const { run_id: id } = await createRun(service.url, resume, threadId);
    expect(await awaitRun(service.url, id)).toMatchObject({
      status: 'completed',
      output: { text: 'it drafted published', answer: 'yes' },
    });
  });
});
