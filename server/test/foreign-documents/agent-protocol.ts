// Agent Protocol's own OpenAPI document against `/compat/agent-protocol`:
//   npm run test:agent-protocol -- --clone <clone of langchain-ai/agent-protocol>
// The document is read from the clone's commit.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../../scripts/suites.ts';
import { outputOf } from '../public-agents/command.ts';
import { documentOptions, playDocument } from './play-document.ts';

const cacheFolder = path.join(root, '.cache/agent-protocol');
const { values: options } = parseArgs({
  options: { clone: { type: 'string' }, ...documentOptions },
});
const clone = path.resolve(options.clone ?? '');
if (options.clone === undefined || !existsSync(clone)) {
  throw new Error('Give a clone of langchain-ai/agent-protocol by --clone.');
}
const commit = (await outputOf('git', ['-C', clone, 'rev-parse', 'HEAD'])).trim();
const file = path.join(cacheFolder, `openapi-${commit.slice(0, 12)}.json`);
await mkdir(cacheFolder, { recursive: true });
await writeFile(file, await outputOf('git', ['-C', clone, 'show', 'HEAD:openapi.json']));
process.exitCode = await playDocument({
  file,
  basePath: '/compat/agent-protocol',
  name: 'agent-protocol',
  options,
});
console.log(`langchain-ai/agent-protocol at ${commit}`);
