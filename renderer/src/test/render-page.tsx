import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { createQueryClient } from '../api/query-client.ts';

/** Renders routes as the studio does, at `at`; returns the router so that tests can read its location. */
export function renderRoutes(
  routes: RouteObject[] | ((queryClient: QueryClient) => RouteObject[]),
  at: string,
  queryClient = testQueryClient(),
): { router: ReturnType<typeof createMemoryRouter> } {
  const all = typeof routes === 'function' ? routes(queryClient) : routes;
  const router = createMemoryRouter(all, { initialEntries: [at] });
  renderPart(<RouterProvider router={router} />, queryClient);
  return { router };
}

/** Renders one part with the theme and the cache of the studio around it. */
export function renderPart(part: ReactNode, queryClient = testQueryClient()): void {
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <Notifications />
        {part}
      </QueryClientProvider>
    </MantineProvider>,
  );
}

function testQueryClient(): QueryClient {
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { networkMode: 'always', retry: false } });
  return queryClient;
}
