import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation<number> });

export const graph = new StateGraph(State)
  .addNode('step', (state) => ({ count: (state.count ?? 0) + 1 }))
  .addEdge(START, 'step')
  .addEdge('step', END)
  .compile();
