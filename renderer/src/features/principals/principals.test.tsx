import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { usePrincipal } from '../../state/principal.ts';
import { fakeService } from '../../test/fake-service.ts';
import { renderPart, renderRoutes } from '../../test/render-page.tsx';
import { PrincipalSwitcher, routes } from './index.ts';
// The page is loaded with its first visit; here before a test's time limit starts.
import './page.tsx';

const info = (isTestMode: boolean) => ({ version: '1', flags: { test_mode: isTestMode } });

beforeEach(() => {
  usePrincipal.setState({ principals: [{ name: 'Ada', claims: { sub: 'ada' } }], active: null });
});

function renderSwitcher(isTestMode: boolean): void {
  fakeService({ 'GET /info': () => info(isTestMode) });
  renderPart(
    <MemoryRouter>
      <PrincipalSwitcher />
    </MemoryRouter>,
  );
}

test('the switcher changes who requests are sent as', async () => {
  renderSwitcher(true);
  await userEvent.click(screen.getByRole('button', { name: 'Principal: anonymous' }));
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /Ada/ }));
  expect(usePrincipal.getState().active).toBe('Ada');
  expect(await screen.findByRole('button', { name: 'Principal: Ada' })).toBeVisible();
});

test('the switcher offers the principals of the policy tests, and stores the one that is chosen', async () => {
  const suite = 'Owner-only threads';
  const root = { sub: 'root', mroles: ['mrn:example:role:admin'] };
  const policies = { principals: [{ name: 'Ada', suite, principal: root }] };
  fakeService({ 'GET /info': () => info(true), 'GET /policy': () => policies });
  renderPart(
    <MemoryRouter>
      <PrincipalSwitcher />
    </MemoryRouter>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Principal: anonymous' }));
  expect(await screen.findByText(/Roles and groups are not sent in test mode/)).toBeVisible();
  await userEvent.click(await screen.findByRole('menuitem', { name: /Ada.*Owner-only threads/ }));
  // There is another one of this name already.
  expect(usePrincipal.getState()).toMatchObject({
    active: `Ada (${suite})`,
    principals: [{ name: 'Ada' }, { name: `Ada (${suite})`, claims: root }],
  });
});

test('without test mode it explains why no principal can be chosen', async () => {
  renderSwitcher(false);
  await userEvent.click(await screen.findByRole('button', { name: 'Principal: as connected' }));
  const menu = within(await screen.findByRole('menu'));
  expect(menu.getByText(/SERVICE_API_AUTH_TEST_MODE=true/)).toBeVisible();
  expect(menu.getAllByRole('menuitem')).toHaveLength(1);
});

test('a new principal from an example is stored and used', async () => {
  fakeService({ 'GET /info': () => info(true) });
  renderRoutes(routes, '/principals');
  await userEvent.click(await screen.findByRole('button', { name: 'Examples' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: /reader/ }));
  await userEvent.click(screen.getByRole('button', { name: 'Save and use' }));
  expect(usePrincipal.getState()).toMatchObject({
    active: 'reader',
    principals: [{ name: 'Ada' }, { name: 'reader', claims: { scopes: ['read-only'] } }],
  });
});

test('explains that roles and groups are stripped, and what to use instead', async () => {
  usePrincipal.setState({
    principals: [{ name: 'Root', claims: { sub: 'root', mroles: ['admin'] } }],
  });
  fakeService({ 'GET /info': () => info(true) });
  renderRoutes(routes, '/principals?name=Root');
  expect(await screen.findByText(/strips mroles from this header/)).toBeVisible();
  expect(screen.getByText(/--principal-file/)).toBeVisible();
});

test('claims without sub cannot be saved', async () => {
  usePrincipal.setState({ principals: [{ name: 'Ada', claims: {} }] });
  fakeService({ 'GET /info': () => info(true) });
  renderRoutes(routes, '/principals?name=Ada');
  expect(await screen.findByText(/sub names the principal/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Save' }).hasAttribute('disabled')).toBe(true);
});
