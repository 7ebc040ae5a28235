/** Graphs with each kind of context schema; each returns what its node was given. */
import { Annotation, START, StateGraph, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

const Seen = Annotation.Root({ context: Annotation<unknown>, shown: Annotation<unknown> });

const names = ['tone', 'n', 'odd', 'checkpoint_id'];

function read(_: object, { context, configurable = {} }: LangGraphRunnableConfig) {
  const shown = Object.entries(configurable).filter(
    ([name, value]) => names.includes(name) && value !== undefined,
  );
  return { context, shown: Object.fromEntries(shown) };
}

const reading = (schema?: unknown) =>
  new StateGraph(Seen, schema as never).addNode('read', read).addEdge(START, 'read').compile(); // any kind of schema

export const none = reading();
export const zod4 = reading(z.object({ tone: z.string(), n: z.number().optional() }));
export const zod3 = reading(z3.object({ tone: z3.string(), n: z3.number().optional() }));
export const lenient = reading(z.object({ tone: z.string().default('plain') }));
export const annotation = reading(Annotation.Root({ tone: Annotation<string> }));
export const factory = (config: LangGraphRunnableConfig<{ tone?: string }>) =>
  config.context?.tone === config.configurable?.['tone'] ? zod4 : none;
