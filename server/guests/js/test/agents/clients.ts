/** Agents that call the service through clients without a URL. */
import {
  Annotation,
  END,
  START,
  StateGraph,
  type LangGraphRunnableConfig,
} from '@langchain/langgraph';
import { Client } from '@langchain/langgraph-sdk';

// Made before there is a run, as templates do it. One request at a time: the others wait within the client.
const client = new Client({ callerOptions: { maxConcurrency: 1 } });

const State = Annotation.Root({ thread: Annotation<string>, found: Annotation<unknown> });
type Node = (
  state: typeof State.State,
  config: LangGraphRunnableConfig,
) => Promise<typeof State.Update>;

const graphOf = (node: Node) =>
  new StateGraph(State).addNode('node', node).addEdge(START, 'node').addEdge('node', END).compile();

export const create = graphOf(async ({ thread }) => ({
  found: await client.runs.create(thread, 'other', { input: { ü: 1 } }),
}));

export const read = graphOf(async ({ thread }) => ({
  found: await client.threads.getState(thread),
}));

export const stream = graphOf(async ({ thread }, { writer }) => {
  const found: string[] = [];
  for await (const { event, data } of client.runs.stream(thread, 'other')) {
    writer?.(data);
    found.push(event);
  }
  return { found };
});

/** The client gives a stream up by its signal alone. */
export const first = graphOf(async ({ thread }) => {
  const enough = new AbortController();
  const { signal } = enough;
  const found: unknown[] = [];
  for await (const { data } of client.runs.stream(thread, 'other', { signal })) {
    found.push(data);
    enough.abort();
  }
  return { found };
});

export const remove = graphOf(async ({ thread }) => {
  await client.threads.delete(thread);
  return { found: 'gone' };
});

/** Asks again and again, until it is refused. */
export const late = graphOf(async ({ thread }) => {
  const ask = async (): Promise<never> => {
    for (;;) await client.threads.get(thread);
  };
  ask().catch((error: unknown) => process.stdout.write(`${String(error)}\n`));
  return {};
});
