import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery } from './health-query.ts';

/** One line that says how the service is. */
export function ServiceHealth(): ReactNode {
  const { data, isPending, isError } = useQuery(healthQuery);
  return <p role="status">{isPending ? 'Asking the service …' : describe(isError, data)}</p>;
}

function describe(isError: boolean, health?: { status: string; version?: string }): string {
  if (isError || health === undefined) return 'The service does not answer.';
  const version = health.version === undefined ? '' : ` (version ${health.version})`;
  return `The service is ${health.status}${version}.`;
}
