import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { RouterProvider } from 'react-router/dom';
import { usePrincipal } from '../state/principal.ts';
import { Tips } from '../ui/tip.tsx';
import type { createStudioRouter } from './router.tsx';
import { cssVariables, schemeManager, theme } from './theme.ts';

interface AppProps {
  readonly router: ReturnType<typeof createStudioRouter>;
  readonly queryClient: QueryClient;
}

/** The studio: theme, server data, routes, notifications. */
export function App({ router, queryClient }: AppProps): ReactNode {
  // One principal must not see what another has fetched.
  useEffect(
    () =>
      usePrincipal.subscribe((state, before) => {
        if (state.active !== before.active || state.principals !== before.principals) {
          void queryClient.resetQueries();
        }
      }),
    [queryClient],
  );
  const hasFirstPage = useSyncExternalStore(router.subscribe, () => router.state.initialized);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        {/* At the left: the send and save buttons are at the right. */}
        <Notifications
          position="bottom-left"
          limit={4}
          containerWidth={360}
          notificationMaxHeight="80vh"
        />
        {/* As a transition the first page would be rendered from the start with every response that arrives meanwhile. */}
        <RouterProvider router={router} {...(!hasFirstPage && { useTransitions: false })} />
        <Tips />
      </QueryClientProvider>
    </MantineProvider>
  );
}
