import { act, screen } from '@testing-library/react';
import { useLayoutEffect } from 'react';
import type { createMemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { renderRoutes } from '../test/render-page.tsx';
import { OpenInstead } from './open-instead.tsx';

type Router = ReturnType<typeof createMemoryRouter>;

/** A page that opens another one in its place, and what a user does before it is known to what is rendered. */
async function openPage(leave: (router: Router) => void = () => undefined): Promise<void> {
  let finishLoading: () => void = () => undefined;
  const isLoaded = new Promise<void>((resolve) => (finishLoading = resolve));
  function Page() {
    useLayoutEffect(() => leave(router));
    return <OpenInstead to="/instead" />;
  }
  const { router } = renderRoutes(
    [
      { path: '/', element: 'start' },
      { path: '/page', element: <Page /> },
      { path: '/instead', element: 'the page instead' },
      { path: '/chosen', element: 'the chosen page' },
      { path: '/slow', lazy: () => isLoaded.then(() => ({ element: 'the slow page' })) },
    ],
    '/',
  );
  await act(() => router.navigate('/page'));
  await act(async () => finishLoading());
}

test('another page is opened in its place', async () => {
  await openPage();
  expect(await screen.findByText('the page instead')).toBeVisible();
});

test('a user who has chosen a page meanwhile gets that one', async () => {
  await openPage((router) => void router.navigate('/chosen'));
  expect(await screen.findByText('the chosen page')).toBeVisible();
});

test('also when the code of that page is still loaded', async () => {
  await openPage((router) => void router.navigate('/slow'));
  expect(await screen.findByText('the slow page')).toBeVisible();
});
