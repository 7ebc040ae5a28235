// What people do with a thread; each test has its own.
import { readFileSync } from 'node:fs';
import { makeRefund } from '../fixtures/studio-threads.ts';
import { expect, test } from '../fixtures/studio.ts';

test('a question that waits is answered, and the run continues', async ({
  page,
  open,
  service,
  own,
}) => {
  const waiting = await makeRefund(service, own('waiting'), { order: 'A-17', amount: 420 });
  await open(`/threads/${waiting.thread}/runs/${waiting.run}`);
  const question = page.getByRole('region', { name: 'What the run waits for' });
  await expect(question).toContainText('Refund 420.00 for order A-17?');
  await question.getByRole('radio', { name: 'Yes', exact: true }).click();
  await question.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByRole('article', { name: /^Run / })).toContainText('completed');
  await page.getByRole('tab', { name: 'Output' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('Refunded 420.00 for order A-17.');
});

test('the failing step of a run is in front of the reader', async ({ page, open, threads }) => {
  const { failed } = threads;
  await open(`/threads/${failed.thread}/runs/${failed.run}`);
  await expect(page.getByRole('article', { name: /^Run / })).toContainText('KeyError');
  await expect(page.getByRole('article', { name: /^Run / })).toContainText("'amount'");
});

test('a thread is forked at a checkpoint', async ({ page, open, service, answered }) => {
  const { thread } = answered;
  await open(`/threads/${thread}/checkpoints`);
  const tree = page.getByRole('listbox', { name: /^Checkpoints/ });
  await expect(tree.getByRole('option').nth(2)).toBeVisible();
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await expect(page).not.toHaveURL(new RegExp(`/threads/${thread}([/?]|$)`));
  const [, fork = ''] = /#\/threads\/([^/?]+)/.exec(page.url()) ?? [];
  expect(fork).not.toBe('');
  await expect(page.getByText('And a checkpoint?').first()).toBeVisible();
  await service.delete(`/threads/${fork}`);
});

test('a thread leaves as a bundle and comes back as another', async ({
  page,
  open,
  answered,
  own,
}) => {
  await open(`/threads/${answered.thread}`);
  await page.getByRole('button', { name: 'More actions for this thread' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as bundle' }).click();
  const file = await (await download).path();
  expect(readFileSync(file).length).toBeGreaterThan(500);

  await open('/bundles');
  await page.getByLabel('Bundle file').setInputFiles(file);
  await expect(page.getByRole('tab', { name: /Runs 2$/ })).toBeVisible();
  await page.getByRole('button', { name: 'Import as thread' }).click();
  const copy = own('copy');
  await page.getByRole('textbox', { name: 'Thread id' }).fill(copy);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/threads/${copy}`));
  await expect(page.getByText('And a checkpoint?').first()).toBeVisible();
});

test('requests are sent as the principal that is chosen', async ({ page, open }) => {
  await open('/principals');
  await page.getByRole('textbox', { name: 'Name' }).fill('ada');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const asked = page.waitForRequest(
    (request) => request.headers()['x-test-principal'] !== undefined,
  );
  await page.getByRole('button', { name: 'Use ada' }).click();
  await open('/agents');
  expect(JSON.parse((await asked).headers()['x-test-principal'] ?? '')).toHaveProperty('sub');
});
