/** The stream modes that a run has only when asked for them, of agents in both languages. */
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPython, whenHealthy } from '../fixtures/durable-service.ts';
import { readSse, type SseTranscript } from '../fixtures/read-sse.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

// They kill their guest once, unless the marker is there.
const python = `
import os, signal
from pathlib import Path
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import StateGraph, START, END
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    marker: str
    text: str

async def ask(state: State) -> State:
    marker = Path(state["marker"])
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    answer = await FakeListChatModel(responses=["well"]).ainvoke("how?")
    return {"text": answer.content}

graph = StateGraph(State).add_node(ask).add_edge(START, "ask").add_edge("ask", END).compile()
`;
const typescript = `
import { existsSync, writeFileSync } from 'node:fs';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ marker: Annotation<string>, text: Annotation<string> });

export const graph = new StateGraph(State)
  .addNode('ask', async ({ marker }: typeof State.State) => {
    if (!existsSync(marker)) {
      writeFileSync(marker, '');
      process.kill(process.pid, 'SIGKILL');
    }
    const answer = await new FakeListChatModel({ responses: ['well'] }).invoke('how?');
    return { text: String(answer.content) };
  })
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile();
`;

let folder = '';
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stream-modes-'));
  const graphs = { py: './agent.py:graph', ts: './agent.ts:graph' };
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'agent.json'), JSON.stringify({ graphs }));
  await writeFile(join(folder, 'agent.py'), python);
  await writeFile(join(folder, 'agent.ts'), typescript);
  await writeFile(join(folder, 'there'), '');
  service = await startService({ agents: folder, flags: ['--interpreter', testPython()] });
  await whenHealthy(service.url);
});

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

function stream(agent: string, marker: string, modes?: string[]): Promise<SseTranscript> {
  const input = { marker: join(folder, marker) };
  return readSse(`${service.url}/runs/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ agent_id: agent, input, ...(modes && { stream_mode: modes }) }),
    timeoutMs: 50_000,
  });
}

const ts = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|\+00:00)$/);

describe.each(['py', 'ts'])('an agent (%s)', (agent) => {
  const [started, ended] = [
    { type: 'tasks', data: { event: 'start', name: 'ask', ts } },
    { type: 'tasks', data: { event: 'end', name: 'ask', ts, error: null } },
  ];
  const model = { kind: 'model', name: 'FakeListChatModel', node: 'ask', ts };
  const called = [
    { type: 'calls', data: { ...model, event: 'start' } },
    { type: 'calls', data: { ...model, event: 'end', output: { content: 'well' }, error: null } },
  ];
  const attempt = (number: number, last_failure: string | null) => ({
    type: 'lifecycle',
    data: { attempt: number, last_failure, ts },
  });

  it('streams nothing of them unless asked', async () => {
    const { events } = await stream(agent, 'there');
    const names = new Set(events.map(({ event }) => event));
    for (const mode of ['tasks', 'calls', 'lifecycle']) expect(names).not.toContain(mode);
    expect(names).toContain('values');
  });

  it('tells of tasks, calls and attempts, and of nothing else', async () => {
    const { events } = await stream(agent, 'there', ['tasks', 'calls', 'lifecycle']);
    const [first, ...told] = chunksOf(events);
    expect(first).toMatchObject(attempt(1, null));
    // LangGraph.js tells of a task a moment after it has begun.
    expect([of('tasks', told), of('calls', told)]).toMatchObject([[started, ended], called]);
    expect(told).toHaveLength(4);
    const { events: alone } = await stream(agent, 'there', ['lifecycle']);
    expect(alone.map(({ event }) => event)).toEqual(['start', 'lifecycle', 'done']);
  });

  it('tells of the attempt after a crash, and who reads later can choose', async () => {
    const modes = ['updates', 'tasks', 'calls', 'lifecycle'];
    const { events } = await stream(agent, `crashed-${agent}`, modes);
    const done = events.at(-1)?.data as { run_id: string };
    expect(done).toMatchObject({ status: 'completed', attempt: 2, last_failure: 'CRASH' });
    const told = chunksOf(events);
    const attempts = [attempt(1, null), attempt(2, 'CRASH')];
    expect([told[0], of('lifecycle', told)]).toMatchObject([attempts[0], attempts]);
    const again = told.slice(told.findLastIndex(({ type }) => type === 'lifecycle'));
    expect([of('tasks', again), of('calls', again), of('updates', again)]).toMatchObject([
      [started, ended],
      called,
      [{ data: { ask: { text: 'well' } } }],
    ]);
    const later = await readSse(`${service.url}/runs/${done.run_id}/stream?stream_mode=lifecycle`);
    expect(chunksOf(later.events)).toEqual(of('lifecycle', told));
  });
});

interface Chunk {
  type: string;
}

/** Everything but `start` and `done`. */
function chunksOf(events: SseTranscript['events']): Chunk[] {
  const chunks = events.filter(({ event }) => event !== 'start' && event !== 'done');
  return chunks.map(({ data }) => data as Chunk);
}

function of(mode: string, chunks: Chunk[]): Chunk[] {
  return chunks.filter(({ type }) => type === mode);
}
