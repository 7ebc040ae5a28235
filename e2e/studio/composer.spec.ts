// The composer over a thread: what is written, what is refused, and that all of it is visible.
import type { Locator } from '@playwright/test';
import { expect, test } from '../fixtures/studio.ts';

test.beforeEach(async ({ open, threads }) =>
  open(`/threads/${threads.chat.thread}/runs?compose=1`),
);

test('the input as JSON is above what follows, also while it is wrong', async ({ page }) => {
  const composer = page.getByRole('dialog');
  await composer.getByRole('tab', { name: 'JSON' }).click();
  const editor = composer.getByRole('textbox', { name: 'Input as JSON' });
  const next = composer.getByText('Where it starts and stops');
  await editor.fill('{"messages": [');
  const problem = composer.getByText(/^Line 1: /);
  await expect(problem).toBeVisible();
  expect(await bottomOf(problem)).toBeLessThan(await topOf(next));
  await editor.fill('{"messages": 5}');
  await expect(problem).toBeHidden();
  expect(await bottomOf(editor)).toBeLessThan(await topOf(next));
  // Nothing lies over it.
  await next.click();
  await expect(composer.getByLabel('Breakpoints before')).toBeVisible();
});

test('what the service refuses is shown in sight of the button', async ({ page }) => {
  const composer = page.getByRole('dialog');
  await composer.getByText('Where it starts and stops').click();
  await composer.getByText('Stream, durability, wait').click();
  await composer.getByLabel('Wait for its end').fill('a while');
  await composer.getByText('Agent', { exact: true }).scrollIntoViewIfNeeded();
  await composer.getByRole('button', { name: 'Run', exact: true }).click();
  const refusal = composer.getByRole('heading', { name: 'The run was not created' });
  await expect(refusal).toBeInViewport({ ratio: 1 });
});

test('the composer over a thread scrolls at one place', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 500 });
  const dialog = page.getByRole('dialog');
  for (const part of [
    'Where it starts and stops',
    'Config and metadata',
    'Stream, durability, wait',
  ])
    await dialog.getByText(part).click();
  await expect(dialog.getByLabel('Wait for its end')).toBeVisible();
  const scrolling = await dialog.evaluate((element) =>
    [element, ...element.querySelectorAll('*')]
      .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY))
      .filter((one) => one.scrollHeight > one.clientHeight && one.clientHeight > 0)
      .map((one) => one.className),
  );
  expect(scrolling).toEqual([expect.stringMatching(/^composer-fields /)]);
});

test('a run leaves as a bundle with its events', async ({ page, open, answered }) => {
  await open(`/threads/${answered.thread}/runs/${answered.run}`);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export this run as a bundle' }).click();
  const file = await (await download).path();
  await open('/bundles');
  await page.getByLabel('Bundle file').setInputFiles(file);
  await page.getByRole('tab', { name: /^Events [1-9]/ }).click();
  await expect(page.getByRole('textbox', { name: 'Payload' })).toContainText('messages');
});

test('a preset is an assistant of the service, found again after a reload and deleted', async ({
  page,
  open,
  service,
  own,
}) => {
  const name = own('preset');
  const composer = page.getByRole('dialog');
  const field = composer.getByRole('combobox', { name: 'Preset' });
  const tags = composer.getByRole('combobox', { name: 'Tags' });
  await composer.getByText('Config and metadata').click();
  await tags.fill('careful');
  await tags.press('Enter');
  await composer.getByRole('button', { name: 'Save preset' }).click();
  await page.getByRole('textbox', { name: 'Name of this preset' }).fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(field).toHaveValue(name);
  expect(await assistantsOf(service.url, name)).toMatchObject([
    { graph_id: 'chat', name, config: { tags: ['careful'] }, version: 1 },
  ]);

  await open('/agents/chat?show=presets');
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('tags');
  await row.getByRole('button', { name: `Run with preset ${name}` }).click();
  await expect(field).toHaveValue(name);
  await composer.getByText('Config and metadata').click();
  await expect(composer.getByText('careful', { exact: true })).toBeVisible();
  await composer.getByRole('button', { name: `Delete preset ${name}` }).click();
  // A page that is left deletes at once.
  await page.goto('about:blank');
  await expect.poll(() => assistantsOf(service.url, name)).toEqual([]);
});

async function assistantsOf(url: string, name: string): Promise<unknown> {
  const response = await fetch(`${url}/compat/langgraph/assistants/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ graph_id: 'chat', name }),
  });
  return response.json();
}

async function topOf(part: Locator): Promise<number> {
  return (await part.boundingBox())?.y ?? Number.NaN;
}

async function bottomOf(part: Locator): Promise<number> {
  const box = await part.boundingBox();
  return box === null ? Number.NaN : box.y + box.height;
}
