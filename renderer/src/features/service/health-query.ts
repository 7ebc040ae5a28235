import { queryOptions } from '@tanstack/react-query';

export interface Health {
  readonly status: string;
  readonly version?: string;
}

function isHealth(value: unknown): value is Health {
  return typeof value === 'object' && value !== null && 'status' in value;
}

/** Asks the service every five seconds how it is. An unhealthy service answers 503 with the same body. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Health> => {
    const answer = await fetch('/health', { signal });
    const body: unknown = await answer.json();
    if (!isHealth(body)) throw new Error(`GET /health answered ${answer.status}`);
    return body;
  },
  refetchInterval: 5_000,
  retry: false,
});
