import { useServiceUrl } from '../../api/queries/service-url.ts';

/** Where people reach the service from a terminal. */
export function useAddress(): string {
  return useServiceUrl();
}
