import { useQuery } from '@tanstack/react-query';
import { getInfoOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { addressOf } from '../../api/service-place.ts';

/** Where people reach the service from a terminal. */
export function useAddress(): string {
  return addressOf(useQuery(getInfoOptions()).data).url;
}
