// Every page in both schemes: no serious violation of accessibility, and a picture of it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { putItems } from '../fixtures/store-items.ts';
import type { StudioThreads } from '../fixtures/studio-threads.ts';
import { expect, test } from '../fixtures/studio.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** `SCREENSHOTS=docs/studio` renews the pictures of the README; otherwise they lie with the results. */
const pictures = path.resolve(root, process.env['SCREENSHOTS'] ?? '.cache/e2e-pictures');
mkdirSync(pictures, { recursive: true });

interface Place {
  readonly route: string | ((threads: StudioThreads) => string);
  readonly shows: string | RegExp;
}

const pages: Readonly<Record<string, Place>> = {
  threads: { route: '/threads', shows: 'demo-chat' },
  conversation: { route: '/threads/demo-chat', shows: 'What is a durable agent?' },
  state: { route: '/threads/demo-chat/state', shows: 'messages' },
  'thread-runs': { route: '/threads/demo-chat/runs', shows: 'completed' },
  question: {
    route: ({ waiting: { thread, run } }) => `/threads/${thread}/runs/${run}`,
    shows: 'Resume',
  },
  failure: {
    route: ({ failed: { thread, run } }) => `/threads/${thread}/runs/${run}`,
    shows: 'KeyError',
  },
  checkpoints: { route: '/threads/demo-chat/checkpoints', shows: 'Fork from here' },
  runs: { route: '/runs', shows: /run/i },
  agents: { route: '/agents/research', shows: 'research' },
  store: { route: '/store?ns=users&in=users&in=ada&key=preferences', shows: 'language' },
  principals: { route: '/principals', shows: 'Principals' },
  bundles: { route: '/bundles', shows: 'Open a bundle' },
  logs: { route: '/logs', shows: 'Logs of runs are with their runs' },
  debugger: { route: '/debug', shows: 'Start the service under the debugger' },
  doctor: { route: '/doctor', shows: 'All is well' },
  settings: { route: '/settings', shows: 'Appearance' },
  welcome: { route: '/welcome', shows: 'Opening folders' },
};

test.beforeAll(({ service }) => putItems(service));

for (const scheme of ['light', 'dark'] as const) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme, viewport: { width: 1280, height: 800 } });

    for (const [name, { route, shows }] of Object.entries(pages)) {
      test(`${name} is accessible`, async ({ page, open, threads }) => {
        await open(typeof route === 'string' ? route : route(threads));
        await lookAt(page, shows, `${name}-${scheme}`);
      });
    }

    test('run is accessible', async ({ page, open, answered: { thread, run } }) => {
      await open(`/threads/${thread}/runs/${run}`);
      await lookAt(page, 'reply', `run-${scheme}`);
    });
  });
}

/** Waits for what the page shows, takes its picture and looks for violations. */
async function lookAt(page: Page, shows: string | RegExp, picture: string): Promise<void> {
  await expect(page.getByRole('main').getByText(shows).first()).toBeVisible();
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  await page.evaluate(hidePlace, root);
  await page.screenshot({ path: path.join(pictures, `${picture}.png`) });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Pictures are for everybody: where this checkout lies is nobody's business. */
function hidePlace(place: string): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    node.nodeValue = node.nodeValue?.replaceAll(place, '/home/ada/agent-runtime') ?? null;
  }
}
