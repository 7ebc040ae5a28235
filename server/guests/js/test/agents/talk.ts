import { setTimeout as wait } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ name: Annotation<string> });

export const graph = new StateGraph(State)
  .addNode('talk', async ({ name }) => {
    for (let line = 1; line <= 3; line += 1) {
      // oxlint-disable-next-line no-console -- what agents do
      console.log(`${name} line ${line}`);
      await wait(1);
    }
    process.stderr.write(`${name} half `);
    await wait(1);
    process.stderr.write('done\nrest');
    return { name };
  })
  .addEdge(START, 'talk')
  .addEdge('talk', END)
  .compile();
