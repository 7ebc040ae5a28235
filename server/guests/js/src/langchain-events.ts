import type { Graph, LangChainEvent } from './graph.ts';

/**
 * The items of the graph's stream together with LangChain's events of everything that runs in it: every event but those
 * that only repeat the items goes to `onEvent`, which is awaited.
 */
export async function* streamWithEvents(
  graph: Graph,
  input: unknown,
  options: Record<string, unknown>,
  onEvent: (event: LangChainEvent) => Promise<void> | undefined,
): AsyncGenerator<unknown> {
  let root: string | undefined;
  for await (const event of graph.streamEvents(input, { ...options, version: 'v2' })) {
    root ??= event.run_id;
    const isItem = event.event === 'on_chain_stream' && event.run_id === root;
    if (isItem) yield event.data.chunk;
    else if (event.tags?.includes('langsmith:hidden') !== true) await onEvent(event);
  }
}
