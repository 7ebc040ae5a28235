/** LangGraph's RemoteGraph for JavaScript: alone, and as a node of a graph that runs elsewhere. */
import { randomUUID } from 'node:crypto';
import {
  Annotation,
  Command,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { describe, expect, it } from 'vitest';
import { collect } from '../fixtures/collect.ts';
import { compatUrl, human, talkOf } from '../fixtures/compat-client.ts';

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  wish: Annotation<string>,
  answer: Annotation<unknown>,
  notes: Annotation<string[]>,
});

const newThread = () => ({ configurable: { thread_id: randomUUID() } });

describe.each(['talk_py', 'talk_ts'])('RemoteGraph of %s', (graphId) => {
  const remote = new RemoteGraph({ graphId, url: compatUrl() });
  const outer = new StateGraph(State)
    .addNode('remote', remote)
    .addEdge(START, 'remote')
    .compile({ checkpointer: new MemorySaver() });

  it('is a node: its values and its stream are those of the outer graph', async () => {
    const values = await outer.invoke(human('hi'), newThread());
    expect(values.messages.map(({ text }) => text)).toEqual(['hi', 'all is well']);
    expect(values.notes).toEqual(['reply']);
    const modes = { streamMode: ['updates', 'custom'] as ('updates' | 'custom')[] };
    const stream = await outer.stream(human('hi'), { ...newThread(), ...modes, subgraphs: true });
    const chunks = await collect(stream);
    const seen = chunks.map(([ns, mode, data]) => [
      ns.join().split(':')[0],
      mode,
      Object.keys(data),
    ]);
    expect(seen).toEqual([
      ['remote', 'custom', ['step']],
      ['remote', 'updates', ['reply']],
      ['', 'updates', ['remote']],
    ]);
    await expect(outer.invoke({ wish: 'fail' }, newThread())).rejects.toThrow('no such wish');
  });

  it('asks through the outer graph, and is answered itself', async () => {
    const thread = newThread();
    const asked = talkOf(await outer.invoke({ wish: 'ask' }, thread));
    expect(asked.__interrupt__).toMatchObject([{ value: { question: 'Go on?' } }]);
    const { tasks } = await outer.getState(thread);
    expect(tasks).toMatchObject([{ name: 'remote', interrupts: asked.__interrupt__ }]);
    expect((await remote.getState(thread)).next).toEqual(['ask']);
    const values = talkOf(await remote.invoke(new Command({ resume: 'yes' }), thread));
    expect([values.answer, values.notes]).toEqual(['yes', ['ask', 'reply']]);
    const states = await collect(remote.getStateHistory(thread));
    expect(states.map(({ next }) => next)).toEqual([[], ['reply'], ['ask'], ['__start__']]);
  });
});
