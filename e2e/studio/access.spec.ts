// Policies in front of the service: a refusal leads to its explanation, and what others may do is asked there.
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { pictureFile } from '../fixtures/pictures.ts';
import { expect, test } from '../fixtures/studio.ts';

const policies = path.resolve(import.meta.dirname, '../../examples/policies');
test.use({ policies: [path.join(policies, 'owner-only.yaml')] });

test('a refused page leads to the policies, which define who may do what', async ({
  page,
  open,
  service,
}) => {
  // No caller has a role in test mode, so the example denies every caller.
  await open('/agents');
  const refusal = page.getByRole('main').getByRole('alert');
  await expect(refusal).toContainText('identity');
  await refusal.getByRole('link', { name: 'Why it is denied' }).click();

  const decision = page.getByRole('region', { name: 'Decision' });
  await expect(decision).toContainText('No domain has the role mrn:service:role:anonymous.');
  const identity = decision.getByRole('listitem', { name: 'Identity phase' });
  await expect(identity.getByText('decided')).toBeVisible();
  await expect(
    decision.getByRole('link', { name: /^owner-only\.yaml:\d+$/ }).first(),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: /Service healthy/ })).toBeVisible();
  await page.screenshot({ path: pictureFile('access-light') });

  // Decisions appear as they are made.
  await page.getByRole('button', { name: /^Remove filter request/ }).click();
  const list = page.getByRole('listbox', { name: 'Decisions' });
  const created = list.getByRole('option').filter({ hasText: 'service:thread:create' });
  await expect(list.getByRole('option').first()).toBeVisible();
  await expect(created).toHaveCount(0);
  const { status } = await fetch(`${service.url}/threads`, { method: 'POST' });
  expect(status).toBe(403);
  await created.click();
  await expect(decision.getByRole('heading', { name: 'service:thread:create' })).toBeVisible();
  expect(await violations(page)).toEqual([]);

  // A principal of the example's tests, with its role.
  await page.getByRole('tab', { name: 'Permissions' }).click();
  await page.getByRole('combobox', { name: 'Principal' }).click();
  await page.getByRole('option', { name: 'ada · Owner-only threads' }).click();
  const row = page.getByRole('row').filter({ hasText: 'service:thread:create' });
  await expect(row).toContainText('granted');
  await row.getByRole('button').click();
  const why = page.getByRole('region', { name: 'Explanation' });
  await expect(why.getByRole('listitem', { name: 'Identity phase' })).toContainText('everybody');
  await page.screenshot({ path: pictureFile('permissions-light') });
  expect(await violations(page)).toEqual([]);
});

async function violations(page: Page): Promise<unknown[]> {
  const { violations: all } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const grave = all.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
