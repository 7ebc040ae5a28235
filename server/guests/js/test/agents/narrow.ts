import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  question: Annotation<string>,
  notes: Annotation<string>,
  answer: Annotation<string>,
});
const Output = Annotation.Root({ answer: Annotation<string> });

export const graph = new StateGraph({ stateSchema: State, output: Output })
  .addNode('think', () => ({ notes: 'a lot' }))
  .addNode('say', ({ question }) => ({ answer: `${question}!` }))
  .addEdge(START, 'think')
  .addEdge('think', 'say')
  .addEdge('say', END)
  .compile();
