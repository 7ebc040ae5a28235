import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, type RouteObject } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { createQueryClient } from '../api/query-client.ts';

/** Renders routes as the studio does, at `at`; answers the router so that tests can see where it went. */
export function renderRoutes(
  routes: RouteObject[],
  at: string,
): { router: ReturnType<typeof createMemoryRouter> } {
  const router = createMemoryRouter(routes, { initialEntries: [at] });
  renderPart(<RouterProvider router={router} />);
  return { router };
}

/** Renders one part with the theme and the cache of the studio around it. */
export function renderPart(part: ReactNode): void {
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { networkMode: 'always', retry: false } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <Notifications />
        {part}
      </QueryClientProvider>
    </MantineProvider>,
  );
}
