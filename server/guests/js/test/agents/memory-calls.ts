import { existsSync, writeFileSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const given = { flag: Annotation<string>, fails: Annotation<string> };
const Memory = Annotation.Root({
  ...given,
  call: Annotation<string>,
  seen: Annotation<number>,
});
const Calls = Annotation.Root({
  ...given,
  seen: Annotation<number[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

/** At the point that the input names: the number of the call, and before, in or after it. */
function failOnce(
  { flag, fails, call }: Record<'flag' | 'fails' | 'call', string>,
  where: string,
): void {
  if (fails !== `${call} ${where}` || existsSync(flag)) return;
  writeFileSync(flag, '');
  throw new Error(where);
}

const memory = new StateGraph(Memory)
  .addNode('count', ({ seen }) => ({ seen: ((seen as number | undefined) ?? 0) + 1 }))
  .addNode('settle', (state) => {
    failOnce(state, 'in');
    return {};
  })
  .addEdge(START, 'count')
  .addEdge('count', 'settle')
  .addEdge('settle', END)
  .compile({ checkpointer: true });

/** Calls a sub-graph that counts its calls, twice in a run. */
export const graph = new StateGraph(Calls)
  .addNode('call', async ({ flag, fails, seen }) => {
    const input = { flag, fails, call: String(seen.length + 1) };
    failOnce(input, 'before');
    const found = await memory.invoke(input);
    failOnce(input, 'after');
    return { seen: [found.seen] };
  })
  .addEdge(START, 'call')
  .addConditionalEdges('call', ({ seen }) => (seen.length % 2 === 0 ? END : 'call'), ['call', END])
  .compile();
