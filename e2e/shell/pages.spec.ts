// The pages that only the desktop has, in both schemes: no serious violation of accessibility, and a picture of each.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { dress, look } from '../fixtures/desktop-looks.ts';
import { answerDialogs, openFolder, runEcho, untilRunIs, visit } from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
import { expect, test } from '../fixtures/shell-test.ts';
import { startStubService, type StubRoute } from '../fixtures/stub-service.ts';

/** As much of a service as the page asks for. */
const elsewhere: Record<string, StubRoute> = {
  '/health': json({
    status: 'ok',
    components: { engine: { status: 'ok' }, guest: { status: 'ok' } },
  }),
  '/info': json({ version: '0.1.0', flags: {} }),
  '/threads/search': json([]),
  '/agents': json([]),
};

function json(body: unknown): StubRoute {
  return (_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('X-Pagination-Total', '0');
    response.end(JSON.stringify(body));
  };
}

for (const scheme of ['light', 'dark'] as const) {
  test(
    `the log, the doctor and the settings, ${scheme}`,
    scheme === 'light' ? {} : { tag: '@release' },
    async ({ served: desktop }) => {
      const { page } = desktop;
      await dress(desktop, scheme);
      await runEcho(page, { text: `hello in ${scheme}` });
      await untilRunIs(page, 'completed');
      await request(page, '/threads/missing', { method: 'DELETE' });
      await visit(page, '/logs');
      await expect(page.getByText(`saying hello in ${scheme}`)).toBeVisible();
      await look(desktop, 'logs', scheme);
      await visit(page, '/doctor');
      await expect(page.getByText('Safe storage of tokens')).toBeVisible();
      await look(desktop, 'doctor', scheme);
      await visit(page, '/settings');
      await expect(page.getByLabel('Port', { exact: true })).toBeVisible();
      await look(desktop, 'settings', scheme);
    },
  );

  // A separate desktop: only a new profile has nothing to show.
  test(
    `a first start, and a service elsewhere, ${scheme}`,
    { tag: '@release' },
    async ({ launch }) => {
      const desktop = await launch();
      const { page } = desktop;
      await dress(desktop, scheme);
      await expect(page.getByRole('button', { name: 'Open folder' })).toBeVisible();
      await look(desktop, 'welcome', scheme);

      const remote = await startStubService(elsewhere);
      try {
        await answerDialogs(desktop, { confirm: true });
        await page.getByRole('textbox', { name: 'URL' }).fill(remote.url);
        await page.getByLabel('Token', { exact: true }).fill('a-token-of-the-team');
        await page.getByRole('button', { name: 'Connect' }).click();
        await expect(page).toHaveURL(/#\/threads/);
        await visit(page, '/welcome');
        await expect(page.getByRole('button', { name: 'Disconnect' })).toBeVisible();
        await look(desktop, 'remote', scheme);
      } finally {
        await remote.close();
      }
    },
  );

  // Separate desktops: the second shows what the first has left in the profile.
  test(
    `a start, one that fails, and the next session, ${scheme}`,
    { tag: '@release' },
    async ({ launch, agents }) => {
      const desktop = await launch();
      const { page } = desktop;
      await dress(desktop, scheme);
      await openFolder(desktop, agents);
      await visit(page, '/welcome');
      await desktop.ask('service', 'stop');
      const started = desktop.ask('service', 'start', agents);
      await expect(page.locator('li[data-state="running"]').first()).toBeVisible();
      await look(desktop, 'start', scheme);
      await started;
      // The window goes to the threads of a service that has started; only then can it be led elsewhere.
      await expect(page).toHaveURL(/#\/threads$/);

      writeFileSync(path.join(agents, 'agent.json'), '{"graphs": {"echo": "./missing.py:graph"}}');
      await visit(page, '/welcome');
      await desktop.ask('service', 'restart');
      await expect(page.getByRole('heading', { name: /^Not started/ })).toBeVisible();
      await look(desktop, 'failure', scheme);
      await desktop.ask('settings', 'write', { reopenLastFolder: false });
      await desktop.quit();

      // The next session, with what was opened before.
      const next = await launch();
      await dress(next, scheme);
      await expect(next.page.getByRole('heading', { name: 'Recent folders' })).toBeVisible();
      await look(next, 'recent', scheme);
    },
  );
}
