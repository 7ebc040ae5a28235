// What only a real page shows: what is visible, what keeps its position, what needs the service no longer.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { putItems } from '../fixtures/store-items.ts';
import { expect, test } from '../fixtures/studio.ts';

/** The code of the studio's pages, as it was built. */
const assets = path.resolve(import.meta.dirname, '../../electron/dist/renderer/assets');

test('a deletion that fails is reported in full, and covers nothing that is sent with', async ({
  page,
  open,
  service,
  own,
}) => {
  const thread = own('kept');
  await page.clock.install();
  await service.post('/threads', { thread_id: thread });
  await page.route(`**/threads/${thread}`, async (route) => {
    if (route.request().method() === 'DELETE') await route.abort();
    else await route.continue();
  });
  await open(`/threads/${thread}`);
  await page.getByRole('button', { name: 'More actions for this thread' }).click();
  await page.getByRole('menuitem', { name: 'Delete thread' }).click();
  const failure = page.getByRole('heading', { name: `Thread ${thread} could not be deleted` });
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  // Once it can no longer be undone.
  await page.clock.fastForward(10_000);
  await expect(failure).toBeVisible();
  await expect(failure).toBeInViewport({ ratio: 1 });
  await open(`/threads/${thread}`);
  await page.getByRole('textbox', { name: 'Message' }).fill('Still here?');
  await page.getByRole('button', { name: 'Send' }).click({ trial: true });
});

test('the palette stays where it is while words are typed', async ({ page, open }) => {
  // It would still be growing when it is measured.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open('/threads');
  // A page that receives the service's events also receives keys.
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('textbox', { name: 'Command, id or text' });
  await expect(page.getByRole('button', { name: 'Go to threads' })).toBeVisible();
  const before = await field.boundingBox();
  await field.fill('fail');
  await expect(page.getByRole('button', { name: 'Go to threads' })).toBeHidden();
  expect(await field.boundingBox()).toEqual(before);
});

test('a filter of the store takes letters as fast as they are typed', async ({
  page,
  open,
  service,
}) => {
  await putItems(service);
  await open('/store?ns=users');
  const field = page.getByRole('textbox', { name: 'Filter by metadata' });
  await field.click();
  await page.keyboard.type('kind=setting');
  await expect(page).toHaveURL(/[?&]filter=kind%3Dsetting$/);
  await expect(field).toHaveValue('kind=setting');
});

test('text that reads from right to left begins at the right', async ({
  page,
  open,
  service,
  own,
}) => {
  const thread = own('arabic');
  await service.post('/threads', { thread_id: thread });
  await service.post(`/threads/${thread}/runs?wait=60s`, {
    agent_id: 'chat',
    input: { messages: [{ role: 'user', content: 'مرحبا' }] },
  });
  await open(`/threads/${thread}`);
  const side = (text: string): Promise<string> =>
    page
      .getByRole('log')
      .getByText(text, { exact: true })
      .evaluate((element) => {
        const words = document.createRange();
        words.selectNodeContents(element);
        const { left, right } = element.getBoundingClientRect();
        const bounds = words.getBoundingClientRect();
        return bounds.left - left > right - bounds.right ? 'right' : 'left';
      });
  // Until the code for markdown has come the same words are in another element.
  await expect.poll(() => side('مرحبا')).toBe('right');
  await expect.poll(() => side('You said: "مرحبا".')).toBe('left');
});

test('pages that were never visited open when the service gives no more code', async ({
  page,
  open,
}) => {
  const fetched = new Set<string>();
  page.on('requestfinished', (request) => {
    if (request.existingResponse()?.ok()) fetched.add(request.url().replace(/.*\//, ''));
  });
  await open('/threads');
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  const scripts = readdirSync(assets).filter((name) => /^([a-z]+-)?page-[^.]+\.js$/.test(name));
  expect(scripts).not.toEqual([]);
  const unfetched = (): string[] => scripts.filter((name) => !fetched.has(name));
  // One after the other, each when the page has nothing else to do.
  await expect.poll(unfetched, { timeout: 80_000 }).toEqual([]);
  await page.route('**/studio/assets/**', (route) => route.abort());
  // By a heading of each: one that reports that the page stopped is not among them.
  const parts: Readonly<Record<string, string | RegExp>> = {
    Runs: /^Runs$/,
    Agents: 'Agents',
    Logs: 'Logs of runs are with their runs',
    Doctor: 'Doctor',
    Settings: 'Settings',
  };
  for (const [part, heading] of Object.entries(parts)) {
    await page.getByRole('link', { name: part, exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/${part.toLowerCase()}`));
    await expect(page.getByRole('main').getByRole('heading', { name: heading })).toBeVisible();
  }
});
