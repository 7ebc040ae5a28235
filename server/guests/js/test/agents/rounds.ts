import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  round: Annotation<number>,
  rounds: Annotation<number>,
  size: Annotation<number>,
  text: Annotation<string>,
});

/** So many steps, each of which writes a text of the size it is given. */
export const graph = new StateGraph(State)
  .addNode('step', ({ round, size }) => ({
    round: (round ?? 0) + 1,
    text: String(round ?? 0).padEnd(size, 'x'),
  }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ round, rounds }) => (round < rounds ? 'step' : END))
  .compile();
