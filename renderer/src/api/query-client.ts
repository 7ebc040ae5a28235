import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './errors.ts';

/** The cache of the service's responses. The service may be local: no query waits for the network to be online. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 1_000,
        // A refusal stays a refusal; only transient failures are retried.
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
