import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ size: Annotation<number>, blob: Annotation<string> });

export const graph = new StateGraph(State)
  .addNode('grow', ({ size }) => ({ blob: 'x'.repeat(size) }))
  .addEdge(START, 'grow')
  .addEdge('grow', END)
  .compile();
