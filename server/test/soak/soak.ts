/**
 * `TEST_PYTHON=… node server/test/soak/soak.ts [runs] [agent]`: many runs on one thread, and what the last of them cost.
 * Agents: those of `agents.ts`.
 */
import { testPython } from '../fixtures/durable-service.ts';
import { soakAgents } from './agents.ts';
import { soakThread } from './long-thread.ts';

const [runs = '10000', name = 'noop_js'] = process.argv.slice(2);
const agent = Object.entries(soakAgents).find(([known]) => known === name)?.[1];
if (!agent) throw new Error(`No agent ${name}: ${Object.keys(soakAgents).join(', ')}.`);

const { values, ...figures } = await soakThread({
  ...agent,
  runs: Number(runs),
  flags: ['--interpreter', testPython()],
  onProgress: (line) => console.error(line),
});
console.log(JSON.stringify({ ...figures, count: values['count'], seen: values['seen'] }, null, 2));
