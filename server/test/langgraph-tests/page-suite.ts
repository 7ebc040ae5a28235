import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../public-agents/command.ts';
import { startPage } from './page-server.ts';
import { recordTests } from './recorded-tests.ts';
import { shortened, type Suite, type TestOutcome } from './suite.ts';

const e2e = path.resolve(import.meta.dirname, '../../../e2e');

/** Agents of ours, without model keys. */
const agents = path.join(import.meta.dirname, 'agents');

/** The page LangChain has for conversations. */
export const chatUiSuite = pageSuite({
  name: 'chat-ui',
  repository: 'langchain-ai/agent-chat-ui',
  mark: 'src/components/thread',
});

/** The page LangChain has for questions of agents. */
export const inboxSuite = pageSuite({
  name: 'inbox',
  repository: 'langchain-ai/agent-inbox',
  mark: 'src/components/agent-inbox',
});

type Page = Pick<Suite, 'name' | 'repository' | 'mark'>;

/** A page of Next, as it is in its repository, and a session in Chromium: `e2e/clients/<name>.session.ts`. */
function pageSuite(page: Page): Suite {
  return {
    ...page,
    folders: [],
    agents,
    isPage: true,

    async install(checkout) {
      const manifest = await readFile(path.join(checkout, 'package.json'), 'utf8');
      const { packageManager } = JSON.parse(manifest) as { packageManager: string }; // both have it
      const [manager = ''] = packageManager.split('+');
      const install = ['install', '--frozen-lockfile', '--ignore-scripts'];
      await run('npx', ['--yes', manager, ...install], { cwd: checkout });
      const fonts = path.join(checkout, 'fonts.cjs');
      await writeFile(fonts, noFonts);
      const next = path.join(checkout, 'node_modules/next/dist/bin/next');
      const env = { NEXT_TELEMETRY_DISABLED: '1', NEXT_FONT_GOOGLE_MOCKED_RESPONSES: fonts };
      await run(process.execPath, [next, 'build'], { cwd: checkout, env });
    },

    async run(checkout, url, words, pagePort) {
      const report = path.join(checkout, 'report.json');
      await rm(report, { force: true });
      const next = await startPage(checkout, pagePort);
      const chosen = words.length === 0 ? [] : ['--grep', words.join('|')];
      const playwright = path.join(e2e, '../node_modules/@playwright/test/cli.js');
      const session = ['test', '--config', 'clients/playwright.config.ts', `${page.name}.session`];
      try {
        await recordTests(
          process.execPath,
          [playwright, ...session, '--reporter=list,json', ...chosen],
          {
            cwd: e2e,
            env: {
              PLAYWRIGHT_JSON_OUTPUT_NAME: report,
              NO_COLOR: '1',
              FORCE_COLOR: '0',
              PAGE_URL: next.url,
              API_URL: url,
              PICTURES: path.join(checkout, 'pictures'),
            },
            output: path.join(checkout, 'output.txt'),
          },
        );
      } finally {
        await next.stop();
      }
      return outcomesOf(await readFile(report, 'utf8'));
    },
  };
}

/** What Next takes instead of Google's stylesheets: the build needs no connection to Google. */
const noFonts = `const sheet = '@font-face { font-family: "Inter"; src: local("sans-serif"); }';
module.exports = new Proxy({}, { get: () => sheet });
`;

interface Report {
  /** Of the session as a whole. */
  readonly errors: readonly { readonly message?: string }[];
  readonly suites: readonly {
    readonly specs: readonly {
      readonly title: string;
      readonly tests: readonly {
        /** None: it was not run. */
        readonly results: readonly {
          readonly status: string;
          readonly errors: readonly { readonly message?: string }[];
        }[];
      }[];
    }[];
  }[];
}

function outcomesOf(text: string): TestOutcome[] {
  const { suites, errors } = JSON.parse(text) as Report; // Playwright's
  const played = suites
    .flatMap(({ specs }) => specs)
    .map(({ title: name, tests }) => {
      const results = tests.flatMap((test) => test.results);
      if (results.length > 0 && results.every(({ status }) => status === 'passed')) return { name };
      const found = results.flatMap((result) => result.errors);
      const problem = found.map(({ message = '' }) => message).join('\n') || 'It was not run.';
      return { name, problem: shortened(problem) };
    });
  const others = errors.map(({ message = '' }) => {
    return { name: 'the session', problem: shortened(message) };
  });
  return [...played, ...others];
}
