// Runs agents of public repositories, unmodified, with scripted models:
//   npm run test:public-agents -- [words of names] [--from <folder of clones>] [--write-docs]
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { nameOf, publicAgents, type PublicAgent } from './catalogue.ts';
import { checkOut } from './checkout.ts';
import { converse, type Outcome } from './converse.ts';
import { install, versionsOf } from './environment.ts';
import { startFakeModels } from './fake-models/server.ts';
import { modelVariables } from './model-variables.ts';
import { writeTable, type Result } from './table.ts';
import { tokenFiles } from './token-files.ts';
import { startService } from '../fixtures/start-service.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const cacheFolder = path.join(root, '.cache/public-agents');

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, 'write-docs': { type: 'boolean' } },
});
mkdirSync(cacheFolder, { recursive: true });
const uv = uvOfThisMachine();
const tokens = await tokenFiles(uv, cacheFolder);
const agents = publicAgents().filter(
  (agent) => words.length === 0 || words.some((word) => nameOf(agent).includes(word)),
);
let passed = 0;
let failed = 0;
for (const agent of agents) {
  const result = await attempt(agent);
  const problems = [result.problem, ...result.outcomes.map(({ problem }) => problem)].filter(
    (problem) => problem !== undefined,
  );
  const isGood = problems.length === 0;
  const isExpected = isGood === (agent.fails === undefined);
  if (isExpected) passed += 1;
  else failed += 1;
  const mark = isExpected ? '✓' : '✗';
  const kept = result.outcomes.map(({ graph, events, answered, problem }) =>
    problem === undefined ? `${graph} (${events} events, ${answered} answers)` : `${graph} FAILS`,
  );
  console.log(`${mark} ${result.name}: ${kept.join(', ') || 'not started'}`);
  if (!isGood) console.log(problems.join('\n').replaceAll(/^/gm, '    '));
  if (isGood && !isExpected) console.log('    It is listed as one that does not run.');
  const file = path.join(cacheFolder, `${result.name.replaceAll('/', '+')}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}
if (options['write-docs'] === true) writeTable(cacheFolder);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Checks out, installs, serves and talks; what goes wrong is part of the result. */
async function attempt(agent: PublicAgent): Promise<Result> {
  const { repository, commit, language } = agent;
  const result = { name: nameOf(agent), repository, commit, language };
  let versions: Record<string, string> = {};
  try {
    const checkout = await checkOut(agent, { into: cacheFolder, from: options.from });
    await install(agent, checkout, uv);
    versions = versionsOf(agent, checkout);
    return { ...result, versions, outcomes: await talk(agent, path.join(checkout, agent.folder)) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...result, versions, outcomes: [], problem: problem.slice(0, 3000) };
  }
}

async function talk(agent: PublicAgent, folder: string): Promise<Outcome[]> {
  const models = await startFakeModels(agent.script);
  try {
    const service = await startService({
      agents: folder,
      environment: {
        ...modelVariables(models.url),
        ...models.variables,
        TIKTOKEN_CACHE_DIR: tokens,
        SERVICE_ENGINE_RUN_RESTART_MAX_ATTEMPTS: '0',
        SERVICE_STORE_PROVIDER: 'sqlite',
        SERVICE_STORE_SQLITE_DB_PATH: path.join(folder, '.agent-runtime-store.db'),
        ...agent.environment,
      },
    });
    try {
      const outcomes: Outcome[] = [];
      for (const one of agent.conversations) {
        outcomes.push(await converse(service.url, one, agent.headers));
      }
      const unknown = models.asked.filter((line) => /^[45]/.test(line));
      if (models.refused.length > 0) {
        console.log(`    it asked for: ${[...new Set(models.refused)].join(', ')}`);
      }
      if (unknown.length > 0) console.log(`    of the models: ${[...new Set(unknown)].join(', ')}`);
      if (outcomes.some(({ problem }) => problem !== undefined)) {
        writeFileSync(
          path.join(cacheFolder, `${nameOf(agent).replaceAll('/', '+')}.log`),
          service.output(),
        );
      }
      return outcomes;
    } finally {
      await service.stop();
    }
  } finally {
    await models.close();
  }
}

/** uv from the path, otherwise one from PyPI in its own environment. */
function uvOfThisMachine(): string {
  if (spawnSync('uv', ['--version']).status === 0) return 'uv';
  const folder = path.join(cacheFolder, '.uv');
  const uv = path.join(folder, 'bin/uv');
  if (spawnSync(uv, ['--version']).status === 0) return uv;
  spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  spawnSync(path.join(folder, 'bin/pip'), ['install', '--quiet', 'uv'], { stdio: 'inherit' });
  return uv;
}
