// agent-chat-ui, as a person uses it.
import { expect, type Locator, type Page, test } from '@playwright/test';

const apiUrl = process.env['API_URL'] ?? '';

/** The page at a new thread of the agent `chat`. */
async function openChat(page: Page): Promise<void> {
  await page.goto(`/?apiUrl=${encodeURIComponent(apiUrl)}&assistantId=chat`);
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Type your message...').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const cancel = (page: Page): Locator => page.getByRole('button', { name: 'Cancel' });

/** A paragraph of an answer. */
const answer = (page: Page, text: string | RegExp): Locator =>
  page.locator('.group.mr-auto').getByText(text);

/** The run is over: the page may send again. */
async function whenDone(page: Page): Promise<void> {
  await expect(cancel(page)).toBeHidden();
}

/** The state of the thread that the page shows. */
async function stateOf(page: Page): Promise<{ values: { messages: { content: unknown }[] } }> {
  const id = new URL(page.url()).searchParams.get('threadId');
  const response = await page.request.get(`${apiUrl}/threads/${id}/state`);
  return response.json() as Promise<{ values: { messages: { content: unknown }[] } }>;
}

test('sends a message and shows the answer while it streams', async ({ page }) => {
  await openChat(page);
  await send(page, 'count to 100');
  await expect(answer(page, /^1 2 3/)).toBeVisible();
  expect(await answer(page, /^1 2 3/).innerText()).not.toContain('100');
  await expect(cancel(page)).toBeVisible();
  await expect(answer(page, / 99 100$/)).toBeVisible();
  await whenDone(page);
});

test('stops, and takes the next message', async ({ page }) => {
  await openChat(page);
  await send(page, 'count to 100');
  await expect(answer(page, /^1 2 3/)).toBeVisible();
  await cancel(page).click();
  await whenDone(page);
  await send(page, 'hello');
  await expect(answer(page, 'You wrote: hello')).toBeVisible();
});

test('regenerates an answer, and goes back to the other branch', async ({ page }) => {
  await openChat(page);
  await send(page, 'hello');
  await expect(answer(page, 'You wrote: hello')).toBeVisible();
  await whenDone(page);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('2 / 2')).toBeVisible();
  await expect(answer(page, 'You wrote: hello')).toHaveCount(1);
  await whenDone(page);
  await page.getByText('2 / 2').locator('..').getByRole('button').first().click();
  await expect(page.getByText('1 / 2')).toBeVisible();
});

test('edits a message', async ({ page }) => {
  await openChat(page);
  await send(page, 'first');
  await expect(answer(page, 'You wrote: first')).toBeVisible();
  await whenDone(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('textarea').first().fill('second');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(answer(page, 'You wrote: second')).toBeVisible();
  await expect(answer(page, 'You wrote: first')).toHaveCount(0);
  await whenDone(page);
  expect((await stateOf(page)).values.messages).toHaveLength(2);
});

test('approves a tool call', async ({ page }) => {
  await openChat(page);
  await send(page, 'mail ada');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(answer(page, 'Done: mail sent to ada')).toBeVisible();
});

test('edits a tool call', async ({ page }) => {
  await openChat(page);
  await send(page, 'mail ada');
  await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible();
  await page.locator('textarea').first().fill('grace');
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await expect(answer(page, 'Done: mail sent to grace')).toBeVisible();
});

test('rejects a tool call', async ({ page }) => {
  await openChat(page);
  await send(page, 'mail ada');
  await whenDone(page);
  await page.getByPlaceholder('Share feedback with the agent...').fill('not her');
  await expect(page.getByText('Currently selected: Reject')).toBeVisible();
  await page.getByRole('button', { name: 'Submit rejection' }).click();
  await expect(answer(page, 'Done: rejected, not her')).toBeVisible();
});

test('shows an error, and takes the next message', async ({ page }) => {
  await openChat(page);
  await send(page, 'fail');
  await expect(page.getByText('The model failed.').first()).toBeVisible();
  await whenDone(page);
  await send(page, 'hello');
  await expect(answer(page, 'You wrote: hello')).toBeVisible();
});

test('keeps the thread over a reload', async ({ page }) => {
  await openChat(page);
  await send(page, 'hello');
  await expect(answer(page, 'You wrote: hello')).toBeVisible();
  await whenDone(page);
  await page.reload();
  await expect(answer(page, 'You wrote: hello')).toBeVisible();
});

test('lists threads, and opens one', async ({ page }) => {
  await openChat(page);
  await send(page, 'an older thread');
  await expect(answer(page, 'You wrote: an older thread')).toBeVisible();
  await whenDone(page);
  await page.goto(`/?apiUrl=${encodeURIComponent(apiUrl)}&assistantId=chat&chatHistoryOpen=true`);
  await page.getByRole('button', { name: 'an older thread' }).first().click();
  await expect(answer(page, 'You wrote: an older thread')).toBeVisible();
});
