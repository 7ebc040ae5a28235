/** A graph in a graph in a graph, of which the innermost asks in two nodes. */
import { Annotation, END, START, StateGraph, interrupt } from '@langchain/langgraph';

const State = Annotation.Root({ answers: Annotation() });

const inner = new StateGraph(State)
  .addNode('first', () => ({ answers: [interrupt('first?')] }))
  .addNode('second', ({ answers }) => ({ answers: [...answers, interrupt('second?')] }))
  .addEdge(START, 'first')
  .addEdge('first', 'second')
  .addEdge('second', END)
  .compile();

const around = (graph) =>
  new StateGraph(State)
    .addNode('inner', graph)
    .addEdge(START, 'inner')
    .addEdge('inner', END)
    .compile();

export const graph = around(around(inner));
