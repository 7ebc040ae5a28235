import { END, MessagesDeltaValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

const State = new StateSchema({ messages: MessagesDeltaValue, note: z.string().optional() });

export const graph = new StateGraph(State)
  .addNode('reply', ({ messages }) => ({
    messages: [{ role: 'assistant', content: `answer ${messages.length}` }],
  }))
  .addNode('later', () => ({ note: 'unchanged messages' }))
  .addEdge(START, 'reply')
  .addEdge('reply', 'later')
  .addEdge('later', END)
  .compile();
