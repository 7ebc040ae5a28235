import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

class OutOfPaper extends Error {}

const State = Annotation.Root({ text: Annotation<string> });

export const graph = new StateGraph(State)
  .addNode('start', () => ({ text: 'started' }))
  .addNode('print', () => {
    throw new OutOfPaper('no paper in tray 2', { cause: new Error('tray sensor') });
  })
  .addEdge(START, 'start')
  .addEdge('start', 'print')
  .addEdge('print', END)
  .compile();
