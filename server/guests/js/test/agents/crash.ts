import { appendFileSync, existsSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  log: Annotation<string>,
  done: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

function note(log: string, node: string): void {
  appendFileSync(log, `${node}\n`);
}

/** Dies in the middle of a step whose other task has finished, but only the first time. */
export const graph = new StateGraph(State)
  .addNode('first', ({ log }) => {
    note(log, 'first');
    return { done: ['first'] };
  })
  .addNode('left', ({ log }) => {
    note(log, 'left');
    return { done: ['left'] };
  })
  .addNode('right', async ({ log }) => {
    note(log, 'right');
    if (!existsSync(`${log}.survive`)) await new Promise(() => undefined);
    return { done: ['right'] };
  })
  .addEdge(START, 'first')
  .addEdge('first', 'left')
  .addEdge('first', 'right')
  .addEdge('left', END)
  .addEdge('right', END)
  .compile();
