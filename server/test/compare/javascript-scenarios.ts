// The agents of agents/javascript, and what each is asked.
import type { Scenario } from './scenario.ts';

const human = (content: string) => ({ messages: [{ role: 'user', content }] });

const scenarios: readonly Scenario[] = [
  { graph: 'chat', input: human('Hello there'), second: human('And again') },
  { graph: 'tools', input: human('use add {"a": 1, "b": 2}') },
  { graph: 'ask', input: { notes: ['start'] }, answers: [{ chosen: 2 }] },
  { graph: 'subgraph', input: { notes: ['start'] }, answers: ['the second'] },
  { graph: 'map_reduce', input: { words: ['a', 'b', 'c'] } },
  { graph: 'commands', input: { words: ['right'] } },
  { graph: 'zod_state', input: { name: 'Ada' } },
  { graph: 'functional', input: { numbers: [1, 2] } },
  { graph: 'custom_stream', input: { notes: [] } },
  { graph: 'store', input: { notes: [] } },
  { graph: 'failing', input: { notes: [] } },
  { graph: 'context', input: { notes: [] }, options: { context: { name: 'Ada' } } },
];

/** Schemas of these exist without the compiler. */
const withSchemas = ['zod_state', 'context'];

export const javascriptScenarios: readonly Scenario[] = scenarios.map((scenario) => ({
  ...scenario,
  isWithoutSchemas: !withSchemas.includes(scenario.graph),
}));
