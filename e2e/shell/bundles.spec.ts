// A thread's way into a file and back, by what is in the desktop's window.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { exportThread, runEcho, untilRunIs, visit } from '../fixtures/desktop-work.ts';
import { expect, test } from '../fixtures/shell-test.ts';

test('a thread leaves as a bundle and comes back, read-only first and as a thread', async ({
  served,
  profile,
}) => {
  const { page } = served;
  const thread = await runEcho(page, { text: 'packed' });
  await untilRunIs(page, 'completed');
  const file = path.join(profile, 'thread.bundle.jsonl.gz');
  await exportThread(served, { thread, file });
  await expect.poll(() => existsSync(file)).toBe(true);

  await visit(page, '/bundles');
  await page.getByLabel('Bundle file').setInputFiles(file);
  await expect(page.getByRole('tab', { name: /Runs 1/ })).toBeVisible();
  await expect(page.getByText('Where it comes from')).toBeVisible();
  const copy = `${thread}-again`;
  await page.getByRole('button', { name: 'Import as thread' }).click();
  await page.getByRole('textbox', { name: 'Thread id' }).fill(copy);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  // A thread without messages opens on its newest run, perhaps before one looks.
  await expect(page).toHaveURL(new RegExp(`#/threads/${copy}(/runs/.+)?$`));
  await visit(page, `/threads/${copy}/state`);
  await expect(page.getByRole('main').getByText('packed!?').first()).toBeVisible();

  // An id that is taken is refused, and the page shows that.
  await visit(page, '/bundles');
  await page.reload();
  await page.getByLabel('Bundle file').setInputFiles(file);
  await page.getByRole('button', { name: 'Import as thread' }).click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('The bundle was not imported');
});
