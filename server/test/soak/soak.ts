/** `node server/test/soak/soak.ts [runs] [agent]`: many runs on one thread, and what the last of them cost. */
import { fileURLToPath } from 'node:url';
import { soakThread } from './long-thread.ts';

const [runs = '10000', agent = 'noop_js'] = process.argv.slice(2);
const figures = await soakThread({
  agents: fileURLToPath(new URL('../bench/agents', import.meta.url)),
  agent,
  runs: Number(runs),
  onProgress: (line) => console.error(line),
});
console.log(JSON.stringify(figures, undefined, 2));
