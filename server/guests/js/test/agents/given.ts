import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  given: Annotation<unknown>,
  copied: Annotation<unknown>,
  kinds: Annotation<string[]>,
});

/** The classes of everything inside a value; data has none but Object and Array. */
function kindsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = value instanceof Map ? [...value.values()] : Object.values(value);
  return [value.constructor.name, ...inside.flatMap(kindsOf)];
}

/** Reports what it finds, in a step after the one that was given it. */
export const graph = new StateGraph(State)
  .addNode('begin', () => ({}))
  .addNode('report', ({ given }) => ({ copied: given, kinds: [...new Set(kindsOf(given))] }))
  .addEdge(START, 'begin')
  .addEdge('begin', 'report')
  .addEdge('report', END)
  .compile();

export const asking = new StateGraph(State)
  .addNode('ask', () => ({ given: interrupt('what?') }))
  .addNode('report', ({ given }) => ({ kinds: [...new Set(kindsOf(given))] }))
  .addEdge(START, 'ask')
  .addEdge('ask', 'report')
  .addEdge('report', END)
  .compile();
