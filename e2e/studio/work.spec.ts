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

test('what waits is answered where it is listed, found again by its text, forked and compared', async ({
  page,
  open,
  service,
  own,
}) => {
  const order = own('waiting');
  const { thread } = await makeRefund(service, own('listed'), { order, amount: 420 });
  await open('/threads');
  await page.getByRole('link', { name: /waiting \d+/ }).click();
  const row = page.getByRole('listitem').filter({ hasText: order });
  await row.getByRole('radio', { name: 'Yes', exact: true }).click();
  await row.getByRole('button', { name: 'Resume' }).click();
  await expect(row).toContainText('completed');

  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Command, id or text' }).fill(order);
  const results = page.getByLabel('Results');
  // By its title, not as the id that it might be.
  await results
    .getByRole('button', { name: `order: ${order}` })
    .first()
    .click();
  // A thread without messages opens on its newest run.
  await expect(page).toHaveURL(new RegExp(`/threads/${thread}/runs/`));

  await page.getByRole('link', { name: /^Checkpoints/ }).click();
  const tree = page.getByRole('listbox', { name: /^Checkpoints/ });
  await tree.getByText('start').click();
  await page.getByRole('button', { name: 'Edit and continue' }).click();
  await page.getByRole('textbox', { name: 'State' }).fill(JSON.stringify({ order, amount: 90 }));
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Continue with this state' }).click();
  await expect(page.getByRole('article', { name: /^Run / })).toContainText('Refund 90.00');
  const [, fork = ''] = /#\/threads\/([^/?]+)/.exec(page.url()) ?? [];
  await expect(page.getByText(/^forked from/)).toContainText('at step 0');
  await page.getByRole('button', { name: 'Compare with the origin' }).click();
  await expect(page.getByRole('article', { name: 'Two runs compared' })).toContainText('completed');
  await service.delete(`/threads/${fork}`);
});

test('the failing step of a run is in front of the reader', async ({ page, open, threads }) => {
  const { failed } = threads;
  await open(`/threads/${failed.thread}/runs/${failed.run}`);
  await expect(page.getByRole('article', { name: /^Run / })).toContainText('KeyError');
  await expect(page.getByRole('article', { name: /^Run / })).toContainText("'amount'");
});

test('a model call of a trace is made again with another prompt', async ({
  page,
  open,
  answered: { thread, run },
}) => {
  await open(`/threads/${thread}/runs/${run}`);
  const spans = page.getByRole('listbox', { name: 'Trace' }).getByRole('option');
  await spans.filter({ hasText: 'StandInModel' }).first().click();
  await page.getByRole('button', { name: 'Edit and call again' }).click();
  const form = page.getByRole('form', { name: 'Edit and call again' });
  const question = form.getByRole('textbox', { name: 'Text of message 3' });
  await expect(question).toHaveValue('And a checkpoint?');
  await question.fill('And a fork?');
  await form.getByRole('button', { name: 'Call', exact: true }).click();
  const response = (name: string) => form.getByRole('region', { name });
  await expect(response('New response')).toContainText('You said: "And a fork?".');
  await expect(response('Recorded response')).toContainText('You said: "And a checkpoint?".');
  // The thread stays as it is.
  await open(`/threads/${thread}`);
  const conversation = page.getByRole('log');
  await expect(conversation.getByText('And a checkpoint?').first()).toBeVisible();
  await expect(conversation.getByText('And a fork?')).toHaveCount(0);
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
