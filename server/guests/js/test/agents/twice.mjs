import { Annotation, END, START, StateGraph, interrupt } from '@langchain/langgraph';

const State = Annotation.Root({
  answers: Annotation({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

export const graph = new StateGraph(State)
  .addNode('ask', () => ({ answers: [interrupt('first?'), interrupt('second?')] }), {
    ends: ['done'],
  })
  .addNode('done', () => ({}))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .addEdge('done', END)
  .compile();
