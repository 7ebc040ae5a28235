import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation<number> });

export const graph = new StateGraph(State)
  .addNode('noop', (state) => ({ count: (state.count ?? 0) + 1 }))
  .addEdge(START, 'noop')
  .addEdge('noop', END)
  .compile();
