// Every page in both schemes: no serious violation of accessibility, and a picture of it.
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { bundleFile, threadOf } from '../fixtures/bundle-file.ts';
import type { ExampleAgents } from '../fixtures/example-agents.ts';
import { pictureFile } from '../fixtures/pictures.ts';
import { putItems } from '../fixtures/store-items.ts';
import { routePatterns } from '../fixtures/studio-routes.ts';
import type { StudioThreads, ThreadAndRun } from '../fixtures/studio-threads.ts';
import { expect, test } from '../fixtures/studio.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface PageSpec {
  /** The route that the router has for it. */
  readonly at: string;
  readonly route: string | ((threads: StudioThreads) => string);
  /** What is on this page alone, and only once its data are loaded. */
  readonly shows: (main: Locator) => Locator;
}

const heading =
  (name: string | RegExp) =>
  (main: Locator): Locator =>
    main.getByRole('heading', { name });
const runPage = ({ thread, run }: ThreadAndRun): string => `/threads/${thread}/runs/${run}`;

const ofThread = '/threads/:threadId';
const pages: Readonly<Record<string, PageSpec>> = {
  threads: {
    at: '/threads',
    route: '/threads',
    shows: (main) =>
      main
        .filter({ has: main.page().getByRole('heading', { name: 'No thread is open' }) })
        .getByText('What is a durable agent?'),
  },
  conversation: {
    at: ofThread,
    route: '/threads/demo-chat',
    shows: (main) => main.getByRole('log').getByText('What is a durable agent?').first(),
  },
  state: {
    at: `${ofThread}/state`,
    route: '/threads/demo-chat/state',
    shows: (main) => main.getByRole('textbox', { name: 'State' }).getByText('messages').first(),
  },
  'thread-runs': {
    at: `${ofThread}/runs`,
    route: '/threads/demo-chat/runs',
    shows: (main) =>
      main.getByRole('listbox', { name: 'Runs', exact: true }).getByText('completed').first(),
  },
  question: {
    at: `${ofThread}/runs/:runId`,
    route: ({ waiting }) => runPage(waiting),
    shows: (main) =>
      main.getByRole('article', { name: /^Run / }).getByRole('button', { name: 'Resume' }),
  },
  failure: {
    at: `${ofThread}/runs/:runId`,
    route: ({ failed }) => runPage(failed),
    shows: (main) => main.getByRole('article', { name: /^Run / }).getByText('KeyError').first(),
  },
  compare: {
    at: '/runs/compare',
    route: ({ chat, failed }) =>
      `/runs/compare?a=${encodeURIComponent(chat.run)}&b=${encodeURIComponent(failed.run)}`,
    shows: (main) => main.getByRole('article', { name: 'Two runs compared' }),
  },
  checkpoints: {
    at: `${ofThread}/checkpoints`,
    route: '/threads/demo-chat/checkpoints',
    shows: (main) => main.getByRole('button', { name: 'Fork from here' }),
  },
  runs: {
    at: '/runs',
    route: '/runs',
    // The figures come after the rows.
    shows: (main) =>
      main.getByRole('region', { name: 'Runs over time' }).getByText('p95', { exact: true }),
  },
  waiting: {
    at: '/waiting',
    route: '/waiting',
    shows: (main) => main.getByRole('heading', { name: 'Waiting for an answer' }),
  },
  agents: {
    at: '/agents/:name',
    route: '/agents/research',
    shows: (main) =>
      main.getByRole('region', { name: 'Agent research' }).getByRole('listitem').first(),
  },
  store: {
    at: '/store',
    route: '/store?ns=users&in=users&in=ada&key=preferences',
    shows: (main) => main.getByRole('region', { name: 'Item' }).getByText('language').first(),
  },
  principals: { at: '/principals', route: '/principals', shows: heading('Principals') },
  access: {
    at: '/access',
    route: '/access',
    shows: (main) => main.getByText('No policy files: everything is permitted'),
  },
  bundles: { at: '/bundles', route: '/bundles', shows: heading('Open a bundle') },
  logs: { at: '/logs', route: '/logs', shows: heading('Logs of runs are with their runs') },
  debugger: {
    at: '/debug',
    route: '/debug',
    shows: heading('Start the service under the debugger'),
  },
  doctor: { at: '/doctor', route: '/doctor', shows: (main) => main.getByText('All is well') },
  settings: { at: '/settings', route: '/settings', shows: heading('Appearance') },
  welcome: { at: '/welcome', route: '/welcome', shows: heading(/^Opening folders/) },
  missing: { at: '/*', route: '/nowhere', shows: heading('No such page') },
};
/** These lead to one of the others. */
const others = ['/', '/agents'];
/** Checked before every push: a list with a conversation beside it, and what waits for an answer. */
const everyTime = new Set(['conversation', 'question']);

test.beforeAll(({ service }) => putItems(service));

test.use({ viewport: { width: 1280, height: 800 } });

for (const [name, { route, shows }] of Object.entries(pages)) {
  test(
    `${name} is accessible`,
    everyTime.has(name) ? {} : { tag: '@release' },
    async ({ page, open, threads, agents }) => {
      await open(typeof route === 'string' ? route : route(threads));
      await expect(shows(page.getByRole('main'))).toBeVisible();
      await lookAt(page, agents, name);
      expect(await namesOfShown(page)).toEqual([name]);
    },
  );
}

test('an opened bundle is accessible', { tag: '@release' }, async ({ page, open, agents }) => {
  await open('/bundles');
  const file = bundleFile(threadOf('refund-A-17', ['completed', 'interrupted', 'running']));
  await page.getByLabel('Bundle file').setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'Where it comes from' })).toBeVisible();
  await lookAt(page, agents, 'bundle');
  expect(await namesOfShown(page)).toEqual([]);
});

test('run is accessible', { tag: '@release' }, async ({ page, open, agents, answered }) => {
  await open(runPage(answered));
  const spans = page.getByRole('listbox', { name: 'Trace' }).getByRole('option');
  await expect(spans.filter({ hasText: 'reply' }).first()).toBeVisible();
  await lookAt(page, agents, 'run');
  await page.getByRole('tab', { name: 'Events' }).click();
  const events = page.getByRole('listbox', { name: 'Events' });
  await expect(events.getByRole('option').filter({ hasText: 'reply' }).first()).toBeVisible();
  await lookAt(page, agents, 'run-events');
  expect(await namesOfShown(page)).toEqual([]);
});

test('no page of the router is left out', async ({ page, open }) => {
  await open('/threads');
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  const known = [...new Set([...Object.values(pages).map(({ at }) => at), ...others])];
  // `run` is separate from `question` and `failure`.
  expect(known.toSorted()).toEqual(await routePatterns(page));
});

/** The pages whose signs are visible: only the page that is open, or the sign proves nothing. */
async function namesOfShown(page: Page): Promise<string[]> {
  const main = page.getByRole('main');
  const shown = Object.entries(pages).map(async ([name, { shows }]) =>
    (await shows(main).isVisible()) ? [name] : [],
  );
  return (await Promise.all(shown)).flat();
}

/** Takes pictures of a page that is shown, in the light scheme and the dark one, and looks for violations. */
async function lookAt(page: Page, { folder }: ExampleAgents, picture: string): Promise<void> {
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    await page.evaluate(hidePaths, [path.dirname(folder), root]);
    await page.screenshot({ path: pictureFile(`${picture}-${colorScheme}`) });
    // The page has no frames: the other mode opens a page for each look, which takes a second.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    // The schemes differ in their colours alone.
    if (colorScheme === 'dark') axe.withRules('color-contrast');
    const { violations } = await axe.analyze();
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    expect(found, colorScheme).toEqual([]);
  }
}

/** Pictures are public: they show no paths of this machine. */
function hidePaths(paths: readonly string[]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const folder of paths) {
      node.nodeValue = node.nodeValue?.replaceAll(folder, '/home/ada/agent-runtime') ?? null;
    }
  }
}
