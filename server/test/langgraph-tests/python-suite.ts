import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { interpreterOf } from '../../../scripts/python-env.ts';
import { run } from '../public-agents/command.ts';
import { startFront } from './front.ts';
import { recordTests } from './recorded-tests.ts';
import { shortened, type Suite, type TestOutcome } from './suite.ts';

const sdk = 'libs/sdk-py';
const agents = `${sdk}/integration`;

/** The integration tests of langgraph-sdk for Python: they take the base URL from a variable. */
export const pythonSuite: Suite = {
  name: 'py',
  repository: 'langchain-ai/langgraph',
  mark: sdk,
  folders: [sdk, 'libs/langgraph'],
  agents,

  async install(checkout) {
    // Where the service looks for an agent folder's interpreter; the tests have the same.
    const folder = path.join(checkout, agents, '.venv');
    await run('python3', ['-m', 'venv', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--compile'];
    // As in the suite's own Dockerfile: the graphs need the last two.
    const packages = ['pytest', 'pytest-asyncio', 'pytest-mock', 'langchain>=1.3', 'deepagents'];
    const sources = [sdk, 'libs/langgraph'].map((one) => path.join(checkout, one));
    await run(interpreterOf(folder), [...pip, ...sources, ...packages]);
  },

  async run(checkout, url, words) {
    const report = path.join(checkout, 'report.xml');
    const python = interpreterOf(path.join(checkout, agents, '.venv'));
    const chosen = words.length === 0 ? [] : ['-k', words.join(' or ')];
    const pytest = ['-m', 'pytest', '-m', 'integration', `--junitxml=${report}`, '--tb=short'];
    // The tests of RemoteGraph have the address as a constant.
    const front = await startFront(2024, url);
    try {
      await recordTests(python, [...pytest, ...chosen, 'tests/integration'], {
        cwd: path.join(checkout, sdk),
        env: { LANGGRAPH_INTEGRATION_URL: url },
        output: path.join(checkout, 'output.txt'),
      });
    } finally {
      await front.close();
    }
    return outcomesOf(await readFile(report, 'utf8'));
  },
};

/** The test cases of pytest's JUnit report. A skipped one is none. */
function outcomesOf(report: string): TestOutcome[] {
  const cases = report.matchAll(
    /<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs,
  );
  return [...cases].flatMap(([, file = '', test = '', content = '']) => {
    if (content.startsWith('<skipped')) return [];
    const name = `${file.split('.').at(-1)} ${test}`;
    const message = /<(?:failure|error) message="([^"]*)"/.exec(content)?.[1];
    if (message === undefined) return [{ name }];
    return [{ name, problem: shortened(readable(message)) }];
  });
}

function readable(xml: string): string {
  const marks: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return xml
    .replaceAll('&#10;', '\n')
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, mark: string) => marks[mark] ?? '');
}
