import { useQuery } from '@tanstack/react-query';
import { useDesktopService } from '../desktop-service.ts';
import { addressOf } from '../service-info.ts';
import { infoQuery } from './health.ts';

/** The service's own URL, for shell commands. */
export function useServiceUrl(): string {
  const view = useDesktopService();
  const info = useQuery(infoQuery).data;
  return addressOf(view?.url === undefined ? info : { url: view.url }).url;
}
