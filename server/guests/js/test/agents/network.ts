/** Reaches the network while it is imported, and in its node. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ found: Annotation<string[]> });

const fetchText = async () => (await fetch('http://target.example/')).text();
const atImport = await fetchText();

export const graph = new StateGraph(State)
  .addNode('reach', async () => ({ found: [atImport, await fetchText()] }))
  .addEdge(START, 'reach')
  .addEdge('reach', END)
  .compile();
