import { Annotation, END, START, StateGraph, getWriter } from '@langchain/langgraph';

const State = Annotation.Root({
  size: Annotation<number>,
  event: Annotation<number>,
  blob: Annotation<string>,
});

export const graph = new StateGraph(State)
  .addNode('grow', ({ size, event }) => {
    getWriter()?.({ text: 'x'.repeat(event ?? 0) });
    return { blob: 'x'.repeat(size) };
  })
  .addEdge(START, 'grow')
  .addEdge('grow', END)
  .compile();
