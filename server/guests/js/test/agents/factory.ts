import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ greeting: Annotation<string> });

export async function makeGraph(config: RunnableConfig) {
  const name = String(config.configurable?.['name']);
  await Promise.resolve();
  return new StateGraph(State)
    .addNode('greet', () => ({ greeting: `Hello ${name}` }))
    .addEdge(START, 'greet')
    .addEdge('greet', END);
}
