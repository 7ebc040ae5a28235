import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../public-agents/command.ts';
import { startFront } from './front.ts';
import { recordTests } from './recorded-tests.ts';
import { shortened, type Suite, type TestOutcome } from './suite.ts';

const api = 'libs/langgraph-api';

/** The address that the tests have as a constant. */
const PORT = 2024;

/** The tests of LangGraph's JavaScript server, `api.test.mts`. */
export const javaScriptSuite: Suite = {
  name: 'js',
  repository: 'langchain-ai/langgraphjs',
  mark: api,
  folders: ['libs'],
  agents: `${api}/tests/graphs`,

  async install(checkout) {
    const packages = await packagesOf(checkout);
    // Made elsewhere and moved: npm refuses a folder whose manifest names packages of a workspace.
    const made = path.join(checkout, 'packages');
    await mkdir(made);
    await writeFile(path.join(made, 'package.json'), '{"private": true}');
    const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
    await run('npm', [...npm, ...packages], { cwd: made });
    await rename(path.join(made, 'node_modules'), path.join(checkout, api, 'node_modules'));
    await rm(made, { recursive: true });
  },

  async run(checkout, url, words) {
    const folder = path.join(checkout, api);
    const report = path.join(checkout, 'report.json');
    await rm(report, { force: true });
    const front = await startFront(PORT, url);
    const chosen = words.length === 0 ? [] : ['-t', words.join('|')];
    const vitest = ['run', 'tests/api.test.mts', '--reporter=default', '--reporter=json'];
    try {
      await recordTests(
        'node_modules/.bin/vitest',
        [...vitest, `--outputFile.json=${report}`, ...chosen],
        // With CI the tests would start LangGraph's server.
        { cwd: folder, env: { CI: '' }, output: path.join(checkout, 'output.txt') },
      );
    } finally {
      await front.close();
    }
    return outcomesOf(await readFile(report, 'utf8'));
  },
};

interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** What the folder's manifest names; packages of the workspace in the release that it has of them. */
async function packagesOf(checkout: string): Promise<string[]> {
  const manifests = new Map<string, Manifest>();
  for (const folder of await readdir(path.join(checkout, 'libs'))) {
    const file = path.join(checkout, 'libs', folder, 'package.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const manifest = JSON.parse(text) as Manifest; // as npm has it
    manifests.set(manifest.name, manifest);
  }
  const own = manifests.get('@langchain/langgraph-api');
  const wanted = Object.entries({ ...own?.dependencies, ...own?.devDependencies });
  return wanted.map(([name, version]) => {
    const isInWorkspace = version.startsWith('workspace:');
    return `${name}@${isInWorkspace ? (manifests.get(name)?.version ?? 'latest') : version}`;
  });
}

interface Report {
  testResults: {
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

function outcomesOf(text: string): TestOutcome[] {
  const report = JSON.parse(text) as Report; // vitest's
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName: name, status, failureMessages }) =>
      status === 'passed' ? { name } : { name, problem: shortened(failureMessages.join('\n')) },
    );
}
