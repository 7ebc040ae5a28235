import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation<number> });

const addOne = ({ count }: typeof State.State) => {
  process.stdout.write(`add to ${count}\n`);
  return { count: count + 1 };
};

export const graph = new StateGraph(State)
  .addNode('one', addOne)
  .addNode('two', addOne)
  .addEdge(START, 'one')
  .addEdge('one', 'two')
  .addEdge('two', END)
  .compile();
