import { useDesktopService } from '../../../api/desktop-service.ts';
import { useServiceUrl } from '../../../api/queries/service-url.ts';
import { principalHeader, usePrincipal } from '../../../state/principal.ts';
import type { Destination } from './snippets.ts';

/** The target and principal of copied requests. The desktop's own service needs its token, which the window does not know. */
export function useDestination(): Destination {
  const address = useServiceUrl();
  const isDesktops = useDesktopService()?.state === 'ready';
  usePrincipal((state) => state.active); // renders again when it changes
  const principal = principalHeader();
  return {
    address,
    ...(principal !== undefined && { principal }),
    ...(isDesktops && { needsToken: true }),
  };
}
