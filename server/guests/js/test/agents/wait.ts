import { Annotation, END, START, StateGraph, getWriter } from '@langchain/langgraph';

const State = Annotation.Root({ stubborn: Annotation<boolean> });

/** Waits for ever, and reports it; when stubborn it blocks the process as well. */
export const graph = new StateGraph(State)
  .addNode('wait', async ({ stubborn }) => {
    getWriter()?.('waiting');
    if (stubborn) {
      process.stdout.write('holding\n'); // at once: a chunk would need the process to get out
      for (;;);
    }
    await new Promise(() => undefined);
    return {};
  })
  .addEdge(START, 'wait')
  .addEdge('wait', END)
  .compile();
