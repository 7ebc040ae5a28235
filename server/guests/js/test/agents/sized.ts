import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  write: Annotation<number | undefined>,
  message: Annotation<number | undefined>,
  blob: Annotation<string>,
});

/** Grows its state, or throws a long message. */
export const graph = new StateGraph(State)
  .addNode('grow', ({ write = 0, message = 0 }) => {
    if (message > 0) throw new Error('x'.repeat(message));
    return { blob: 'y'.repeat(write) };
  })
  .addEdge(START, 'grow')
  .addEdge('grow', END)
  .compile();
