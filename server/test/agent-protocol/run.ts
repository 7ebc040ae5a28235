// Sends requests that are generated from Agent Protocol's own OpenAPI document to `/compat/agent-protocol`, and checks
// every response against it:
//   npm run test:agent-protocol -- --clone <clone of langchain-ai/agent-protocol>
// The document is read from the clone's commit; what is listed in protocol.toml is no finding.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { interpreterOf } from '../../../scripts/python-env.ts';
import { contractFolder, pythonFolder, root } from '../../../scripts/suites.ts';
import { startExamples } from '../fixtures/start-examples.ts';
import { outputOf } from '../public-agents/command.ts';

const cacheFolder = path.join(root, '.cache/agent-protocol');
const { values: options } = parseArgs({
  options: {
    clone: { type: 'string' },
    /** Of each operation and phase. */
    examples: { type: 'string', default: '40' },
    seed: { type: 'string', default: '3' },
  },
});
const clone = path.resolve(options.clone ?? '');
if (options.clone === undefined || !existsSync(clone)) {
  throw new Error('Give a clone of langchain-ai/agent-protocol by --clone.');
}
const commit = (await outputOf('git', ['-C', clone, 'rev-parse', 'HEAD'])).trim();
const document = path.join(cacheFolder, `openapi-${commit.slice(0, 12)}.json`);
await mkdir(cacheFolder, { recursive: true });
await writeFile(document, await outputOf('git', ['-C', clone, 'show', 'HEAD:openapi.json']));

process.env['TEST_PYTHON'] ??= interpreterOf(pythonFolder);
const service = await startExamples();
try {
  const agents = (await (await fetch(`${service.url}/agents`)).json()) as { agent_id: string }[];
  const code = await schemathesis(
    [
      ...['--config-file', path.join(import.meta.dirname, 'protocol.toml'), '--no-color'],
      ...['run', document, '--url', `${service.url}/compat/agent-protocol`],
      ...['--continue-on-failure', '--no-shrink'],
      ...['--max-examples', options.examples, '--seed', options.seed, '--request-timeout', '60'],
    ],
    agents.map(({ agent_id: id }) => id),
  );
  console.log(`langchain-ai/agent-protocol at ${commit}`);
  process.exitCode = code ?? 1;
} finally {
  await service.stop();
}

/** Resolves with its exit code. */
async function schemathesis(words: readonly string[], agents: string[]): Promise<number | null> {
  const program = path.join(path.dirname(interpreterOf(contractFolder)), 'schemathesis');
  const child = spawn(process.env['SCHEMATHESIS'] ?? program, words, {
    stdio: 'inherit',
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: path.join(import.meta.dirname, 'protocol_hooks.py'),
      PROTOCOL_AGENTS: JSON.stringify(agents),
    },
  });
  const [code] = (await once(child, 'exit')) as [number | null]; // what node gives
  return code;
}
