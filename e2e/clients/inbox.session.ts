// Agent Inbox, as a person uses it: what it shows, and what its actions change at the service.
import { randomUUID } from 'node:crypto';
import { expect, type APIRequestContext, type Page, test } from '@playwright/test';

const apiUrl = process.env['API_URL'] ?? '';

interface Thread {
  readonly status: string;
  readonly values: { readonly outcome?: string } | null;
}

/** Makes a thread of the agent `inbox` and gives its id. */
async function newThread(request: APIRequestContext, to: string): Promise<string> {
  const id = randomUUID();
  await request.post(`${apiUrl}/threads`, { data: { thread_id: id } });
  const run = { assistant_id: 'inbox', input: { to } };
  await request.post(`${apiUrl}/threads/${id}/runs/wait`, { data: run });
  return id;
}

/** What the service has of a thread: its status, and how the question ended. */
async function endOf(request: APIRequestContext, id: string): Promise<string> {
  const response = await request.get(`${apiUrl}/threads/${id}`);
  const { status, values } = (await response.json()) as Thread; // as LangGraph's API has it
  return `${status}, ${values?.outcome ?? 'no outcome'}`;
}

/** The page with an inbox of that agent, as it is kept in the browser of a person who has added it. */
async function openInbox(page: Page): Promise<void> {
  await page.addInitScript((deploymentUrl) => {
    const createdAt = new Date().toISOString();
    const inbox = { id: 'mails', name: 'Mails', graphId: 'inbox', deploymentUrl, selected: true };
    localStorage.setItem('inbox:agent_inboxes', JSON.stringify([{ ...inbox, createdAt }]));
    // Otherwise the page loads itself once more, in the middle of what is done there.
    localStorage.setItem(`inbox-refreshed-${new Date().toDateString()}`, 'true');
  }, apiUrl);
  // With its parameters: without them the page opens its list a second time.
  await page.goto('/?agent_inbox=mails&offset=0&limit=10&inbox=interrupted');
  await expect(page.getByText('Mails').first()).toBeVisible();
}

/** Makes a question and opens it in the page; gives its thread. */
async function openQuestion(page: Page, to: string): Promise<string> {
  const id = await newThread(page.request, to);
  await openInbox(page);
  await page.getByText(`mail to ${to}`, { exact: true }).click();
  await expect(page.getByRole('button', { name: 'Mark as Resolved' })).toBeVisible();
  return id;
}

/** The page is back at its list, without the question. */
async function whenGone(page: Page, to: string): Promise<void> {
  await expect(page.getByRole('button', { name: 'Interrupted' }).first()).toBeVisible();
  await expect(page.getByText(`mail to ${to}`, { exact: true })).toHaveCount(0);
}

test('lists threads by their status', async ({ page }) => {
  await newThread(page.request, 'ada');
  const done = await newThread(page.request, 'myself');
  const failed = await newThread(page.request, 'nowhere');
  await openInbox(page);
  await expect(page.getByText('mail to ada', { exact: true })).toBeVisible();
  await expect(page.getByText('May a mail go to ada?')).toBeVisible();
  await expect(page.getByText(done)).toHaveCount(0);
  await page.getByRole('button', { name: 'Idle' }).click();
  await expect(page.getByText(done)).toBeVisible();
  await page.getByRole('button', { name: 'Error' }).click();
  await expect(page.getByText(failed)).toBeVisible();
  await expect(page.getByText(done)).toHaveCount(0);
  await page.getByRole('button', { name: 'All' }).click();
  await expect(page.getByText(done)).toBeVisible();
  await expect(page.getByText('mail to ada', { exact: true })).toBeVisible();
});

test('accepts', async ({ page }) => {
  const id = await openQuestion(page, 'grace');
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await whenGone(page, 'grace');
  await expect.poll(() => endOf(page.request, id)).toBe('idle, accept: grace');
});

test('edits', async ({ page }) => {
  const id = await openQuestion(page, 'edith');
  await page.locator('textarea').first().fill('barbara');
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await whenGone(page, 'edith');
  await expect.poll(() => endOf(page.request, id)).toBe('idle, edit: barbara');
});

test('responds', async ({ page }) => {
  const id = await openQuestion(page, 'radia');
  await page.getByPlaceholder('Your response here...').fill('not today');
  await page.getByRole('button', { name: 'Send Response' }).click();
  await whenGone(page, 'radia');
  await expect.poll(() => endOf(page.request, id)).toBe('idle, response: not today');
});

test('ignores', async ({ page }) => {
  const id = await openQuestion(page, 'joan');
  await page.getByRole('button', { name: 'Ignore', exact: true }).click();
  await expect.poll(() => endOf(page.request, id)).toBe('idle, ignore: nothing');
  await page.reload();
  await whenGone(page, 'joan');
});

test('marks as resolved', async ({ page }) => {
  const id = await openQuestion(page, 'karen');
  await page.getByRole('button', { name: 'Mark as Resolved' }).click();
  await whenGone(page, 'karen');
  await expect.poll(() => endOf(page.request, id)).toBe('idle, no outcome');
});

test('shows the state of a thread', async ({ page }) => {
  await openQuestion(page, 'mary');
  await page.getByRole('button', { name: 'State' }).click();
  await expect(page.getByRole('paragraph').filter({ hasText: /^mary$/ })).toBeVisible();
});
