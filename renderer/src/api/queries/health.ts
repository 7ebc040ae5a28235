import { queryOptions } from '@tanstack/react-query';
import { apiBase } from '../base.ts';
import { ApiError } from '../errors.ts';
import type { GetHealthResponse } from '../generated/types.gen.ts';
import { getInfoOptions } from '../generated/@tanstack/react-query.gen.ts';

export type Health = GetHealthResponse;

function isHealth(value: unknown): value is Health {
  return typeof value === 'object' && value !== null && 'status' in value && 'components' in value;
}

/** Polls the service's health every five seconds. An unhealthy service responds with 503 and the same body. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Health> => {
    const response = await fetch(`${apiBase}/health`, { signal }).catch((cause: unknown) => {
      throw unreachable(0, cause);
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (!isHealth(body)) throw unreachable(response.status);
    return body;
  },
  refetchInterval: 5_000,
  staleTime: 2_000,
  retry: false,
});

function unreachable(status: number, cause?: unknown): ApiError {
  const message = 'The service does not respond.';
  return new ApiError(status, { code: 'unreachable', message, metadata: {} }, { cause });
}

/** Versions and flags of the service; they change only with a new start. */
export const infoQuery = queryOptions({ ...getInfoOptions(), staleTime: 30_000 });
