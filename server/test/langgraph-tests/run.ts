// Runs LangGraph's own test suites against `/compat/langgraph`, with its own graphs, or plays its pages in a browser:
//   npm run test:langgraph -- --clone <clone> [--suite py|js|chat-ui|inbox] [a word of test names]
// A clone of langgraph, langgraphjs, agent-chat-ui or agent-inbox.
// Nothing of the clone is changed or kept but in `.cache`; the suites get another base URL and nothing else.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../fixtures/free-port.ts';
import { startService } from '../fixtures/start-service.ts';
import { outputOf } from '../public-agents/command.ts';
import { javaScriptSuite } from './javascript-suite.ts';
import { chatUiSuite, inboxSuite } from './page-suite.ts';
import { pythonSuite } from './python-suite.ts';
import type { Suite } from './suite.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const cacheFolder = path.join(root, '.cache/langgraph-tests');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { clone: { type: 'string' }, suite: { type: 'string' } },
});
const clone = path.resolve(options.clone ?? '');
if (options.clone === undefined || !existsSync(clone)) {
  throw new Error('Give a clone of a repository of langchain-ai by --clone.');
}
const suite = await suiteOf(clone);
const commit = (await outputOf('git', ['-C', clone, 'rev-parse', 'HEAD'])).trim();
const checkout = path.join(cacheFolder, `${suite.name}-${commit.slice(0, 12)}`);
await checkOut();
const agents = path.resolve(checkout, suite.agents);
const pagePort = await freePort();
const service = await startService({
  agents,
  environment: {
    SERVICE_STORE_PROVIDER: 'sqlite',
    SERVICE_STORE_SQLITE_DB_PATH: path.join(checkout, 'store.db'),
    ...(suite.isPage === true && {
      SERVICE_API_CORS_ALLOWED_ORIGINS: `http://127.0.0.1:${pagePort}`,
    }),
  },
});
try {
  const url = `${service.url}/compat/langgraph`;
  const outcomes = await suite.run(checkout, url, positionals, pagePort);
  const failed = outcomes.filter(({ problem }) => problem !== undefined);
  for (const { name, problem } of failed) {
    console.log(`✗ ${name}\n${(problem ?? '').replaceAll(/^/gm, '    ')}`);
  }
  console.log(`What the tests printed: ${path.join(checkout, 'output.txt')}`);
  console.log(`${suite.repository} at ${commit}`);
  console.log(`${outcomes.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = outcomes.length > 0 && failed.length === 0 ? 0 : 1;
} finally {
  await writeFile(path.join(cacheFolder, `${suite.name}-service.log`), service.output());
  await service.stop();
  await rm(path.join(checkout, 'store.db'), { force: true });
}

/** The suite that is asked for, otherwise the one that the clone has. */
async function suiteOf(folder: string): Promise<Suite> {
  const suites = [pythonSuite, javaScriptSuite, chatUiSuite, inboxSuite];
  const marks = suites.map(({ mark }) => mark);
  const files = await outputOf('git', ['-C', folder, 'ls-tree', '--name-only', 'HEAD', ...marks]);
  const found = suites.find(({ name, mark }) =>
    options.suite === undefined ? files.split('\n').includes(mark) : name === options.suite,
  );
  if (found === undefined) {
    const names = suites.map(({ name }) => name).join(', ');
    throw new Error(`There is no suite for ${folder}: ${names} are known.`);
  }
  return found;
}

/** The folders that the suite needs, without the rest of the repository, and what is to be installed for them. */
async function checkOut(): Promise<void> {
  const stamp = path.join(checkout, '.installed');
  if (existsSync(stamp)) return;
  await rm(checkout, { recursive: true, force: true });
  await mkdir(checkout, { recursive: true });
  const archive = path.join(checkout, 'source.tar');
  const git = ['-C', clone, 'archive', `--output=${archive}`, 'HEAD', ...suite.folders];
  await outputOf('git', git);
  await outputOf('tar', ['-xf', archive, '-C', checkout]);
  await rm(archive);
  console.log(`Installing what the tests of ${suite.repository} need`);
  await suite.install(checkout);
  await writeFile(stamp, commit);
}
