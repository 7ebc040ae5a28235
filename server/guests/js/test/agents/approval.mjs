import { Annotation, END, START, StateGraph, interrupt } from '@langchain/langgraph';

const State = Annotation.Root({ amount: Annotation(), answer: Annotation() });

export const graph = new StateGraph(State)
  .addNode('check', () => ({ amount: 7 }))
  .addNode('ask', ({ amount }) => ({ answer: interrupt({ question: 'Approve?', amount }) }))
  .addEdge(START, 'check')
  .addEdge('check', 'ask')
  .addEdge('ask', END)
  .compile();
