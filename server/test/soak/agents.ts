import { fileURLToPath } from 'node:url';
import type { SoakOptions } from './long-thread.ts';

type SoakAgent = Pick<SoakOptions, 'agents' | 'agent' | 'input'>;

const noop: SoakAgent = {
  agents: fileURLToPath(new URL('../bench/agents', import.meta.url)),
  agent: 'noop_js',
  input: (run) => (run === 1 ? { count: 0 } : {}),
};

const supervisor: SoakAgent = {
  agents: fileURLToPath(new URL('agents', import.meta.url)),
  agent: 'supervisor',
  input: (run) => ({ messages: [{ role: 'user', content: `Question ${run}` }] }),
};

/** So long that a thread which keeps every message is at its end after a few hundred runs. */
const longQuestion = (run: number): string => `Question ${run} `.padEnd(500, 'and so on ');

/** The agents of the long runs on one thread. Each counts its runs; a supervisor's sub-graph counts them, too (`seen`). */
export const soakAgents = {
  noop_js: noop,
  supervisor,
  supervisor_growing: {
    ...supervisor,
    agent: 'supervisor_growing',
    input: (run) => ({ messages: [{ role: 'user', content: longQuestion(run) }] }),
  },
} satisfies Record<string, SoakAgent>;
