// A thread's way into a file and back, by what is in the desktop's window.
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  answerDialogs,
  exportThread,
  runEcho,
  untilRunIs,
  visit,
} from '../fixtures/desktop-work.ts';
import { request } from '../fixtures/page-requests.ts';
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
  const copy = `${thread}-again`;
  await page.getByRole('button', { name: 'Import as thread' }).click();
  await page.getByRole('textbox', { name: 'Thread id' }).fill(copy);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/threads/${copy}$`));
  await visit(page, `/threads/${copy}/state`);
  await expect(page.getByRole('main').getByText('packed!?').first()).toBeVisible();

  // By the desktop itself, as for a file that no page can hold; the id is taken, and that is said.
  await answerDialogs(served, { open: file });
  await visit(page, '/bundles');
  await page.reload();
  await page.getByRole('button', { name: 'Import without opening' }).click();
  await expect(page.getByRole('alert')).toContainText('The bundle was not imported');
  expect((await request(page, `/threads/${thread}`, { method: 'DELETE' })).status).toBe(204);
  await page.getByRole('button', { name: 'Import without opening' }).click();
  await expect(page).toHaveURL(new RegExp(`#/threads/${thread}$`));
});
