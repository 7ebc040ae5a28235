import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** The cache of what the service said. The service is near: nothing waits for the internet to be back. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 1_000,
        // A refusal stays a refusal; only what may pass by itself is asked again.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
