import { isLoopback } from './listen-address.ts';
import type { ServiceConfig } from './service-config.ts';

/** A warning when everybody may call the API from other machines. `own` is the agent folder's own `auth`, if it is asked. */
export function openApiWarning(
  { api }: Pick<ServiceConfig, 'api'>,
  own?: { isStudioAuthDisabled: boolean },
): string | undefined {
  // In test mode anybody may say to be the studio's user.
  const isOwnAsking = own !== undefined && (!api.auth || own.isStudioAuthDisabled);
  const isAsking = api.auth?.kind === 'oidc' || api.tls?.clientAuth === 'require_and_verify';
  if (isLoopback(api) || isAsking || isOwnAsking) return undefined;
  return 'The API can be reached from other machines and asks for no credentials; --api-addr 127.0.0.1:8090 keeps it on this one.';
}
