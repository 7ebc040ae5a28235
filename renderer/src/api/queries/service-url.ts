import { useQuery } from '@tanstack/react-query';
import { addressOf } from '../service-place.ts';
import { infoQuery } from './health.ts';

/** The service's own address, for lines that are typed into a terminal. */
export function useServiceUrl(): string {
  return addressOf(useQuery(infoQuery).data).url;
}
