/** @module-tag release */
// Starts two servers: only together they show that CopilotKit's adapter sees no difference.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLangGraphPython } from '../fixtures/langgraph-server.ts';
import { Conversation, counts, textOf, type AgentEvent, type Turn } from './adapter.ts';
import { startBoth, type BothServers } from './side-by-side.ts';

const python = process.env['COMPARE_PYTHON'];
if (python === undefined) throw new Error('COMPARE_PYTHON names no Python with langgraph-cli.');

let both: BothServers | undefined;

beforeAll(async () => {
  both = await startBoth({
    language: 'python',
    flags: ['--interpreter', python],
    startTheirs: (folder) => startLangGraphPython(folder, python),
  });
});

afterAll(() => both?.stop());

/** Plays the same on both servers; gives what came from this one. */
async function play(graph: string, turns: readonly Turn[]): Promise<AgentEvent[][]> {
  const urls = [both?.theirs.url ?? '', `${both?.ours.url ?? ''}/compat/langgraph`];
  const [theirs = [], ours = []] = await Promise.all(
    urls.map(async (url) => {
      const conversation = new Conversation(url, graph);
      const runs: AgentEvent[][] = [];
      for (const turn of turns) runs.push(await conversation.run(turn));
      return runs;
    }),
  );
  expect(ours.map(counts)).toEqual(theirs.map(counts));
  return ours;
}

describe('CopilotKit’s adapter, beside LangGraph’s server', () => {
  // Nodes that are async: in others, LangChain's events and messages overtake each other, on both servers.
  it('streams text, and goes on in a second turn', async () => {
    const [first = [], second = []] = await play('chat_async', [
      { text: 'hello' },
      { text: 'and again' },
    ]);
    expect([textOf(first), textOf(second)]).toEqual(['You said: hello ', 'You said: and again ']);
    expect(second.find(({ type }) => type === 'MESSAGES_SNAPSHOT')?.messages).toHaveLength(4);
    expect(second.at(-1)?.type).toBe('RUN_FINISHED');
  });

  it('shows a call of a tool and its result', async () => {
    const [events = []] = await play('created', [{ text: 'use add {"a": 1, "b": 2}' }]);
    const ofTools = events.filter(({ type }) => type.startsWith('TOOL_CALL_'));
    expect(ofTools.map(({ type }) => type)).toEqual([
      'TOOL_CALL_START',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
    ]);
    expect(ofTools[0]?.toolCallName).toBe('add');
    expect(ofTools.at(-1)?.content).toBe('3');
    expect(textOf(events)).toBe('The tool says: 3 ');
  });

  it('asks a question, and resumes with the answer', async () => {
    const [asked = [], answered = []] = await play('ask', [
      { text: 'hello' },
      { resume: 'the second' },
    ]);
    const question = asked.find(({ type }) => type === 'CUSTOM');
    expect(question).toMatchObject({
      name: 'on_interrupt',
      value: '{"question":"Is it good?","options":[1,2]}',
    });
    const state = answered.findLast(({ type }) => type === 'STATE_SNAPSHOT');
    expect(state?.snapshot?.notes).toEqual(['before', 'answer: the second', 'after']);
  });

  it('reports an error', async () => {
    const [events = []] = await play('failing', [{ text: 'hello', state: { text: 'it must' } }]);
    expect(events.find(({ type }) => type === 'RUN_ERROR')?.message).toBe('refused: it must');
  });
});
