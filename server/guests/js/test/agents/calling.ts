import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { z } from 'zod';

const weather = tool(
  ({ city }: { city: string }) => {
    if (city === 'nowhere') throw new RangeError('no such city');
    return `sunny in ${city}${'!'.repeat(city === 'far' ? 200_000 : 0)}`;
  },
  {
    name: 'weather',
    description: 'The weather of a city.',
    schema: z.object({ city: z.string() }),
  },
);

const rivers = tool(
  async function* () {
    yield 'Aare';
    yield { river: 'Rhine' };
    return 'two rivers';
  },
  { name: 'rivers', description: 'Rivers, one after the other.', schema: z.object({}) },
);

/** Asks a model and calls a tool. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode('ask', async ({ messages }) => {
    const model = new FakeListChatModel({ responses: ['look it up'] });
    return { messages: [await model.invoke(messages)] };
  })
  .addNode('look', async ({ messages }) => {
    const city = messages[0]?.text ?? '';
    const found: unknown = await (city === 'rivers' ? rivers.invoke({}) : weather.invoke({ city }));
    return { messages: [new AIMessage(String(found).slice(0, 20))] };
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'look')
  .compile();

export const outer = new StateGraph(MessagesAnnotation)
  .addNode('inside', graph)
  .addEdge(START, 'inside')
  .compile();
