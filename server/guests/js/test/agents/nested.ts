import { Annotation, END, START, StateGraph, getWriter, interrupt } from '@langchain/langgraph';

const State = Annotation.Root({
  path: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

const child = new StateGraph(State)
  .addNode('inside', () => {
    getWriter()?.({ at: 'inside' });
    return { path: ['inside'] };
  })
  .addNode('question', () => ({ path: [`answer ${String(interrupt('which way?'))}`] }))
  .addEdge(START, 'inside')
  .addEdge('inside', 'question')
  .addEdge('question', END)
  .compile();

export const graph = new StateGraph(State)
  .addNode('child', child)
  .addNode('after', () => ({ path: ['after'] }))
  .addEdge(START, 'child')
  .addEdge('child', 'after')
  .addEdge('after', END)
  .compile();
