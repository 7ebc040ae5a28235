import { isLoopback } from './listen-address.ts';
import type { ServiceConfig } from './service-config.ts';

/** The agent folder's own `auth`, if it is asked. */
type OwnAuth = { readonly isStudioAuthDisabled: boolean } | undefined;

/** True when nobody is let in who does not show who it is. In test mode anybody may say to be the studio's user. */
function asksForCredentials({ api }: Pick<ServiceConfig, 'api'>, own: OwnAuth): boolean {
  const isOwnAsking = own !== undefined && (!api.auth || own.isStudioAuthDisabled);
  return api.auth?.kind === 'oidc' || api.tls?.clientAuth === 'require_and_verify' || isOwnAsking;
}

/** A warning when everybody may call the API from other machines. */
export function openApiWarning(
  config: Pick<ServiceConfig, 'api'>,
  own?: OwnAuth,
): string | undefined {
  if (isLoopback(config.api) || asksForCredentials(config, own)) return undefined;
  return 'The API can be reached from other machines and asks for no credentials; --api-addr 127.0.0.1:8090 keeps it on this one.';
}

/** What the HTTP side asks of every request, whoever sends it. */
export interface AccessRules {
  readonly listenHost: string;
  readonly asksForCredentials: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly serviceToken?: string;
}

/** Under which names, from which pages and with which token the API may be called. */
export function accessRules(config: Pick<ServiceConfig, 'api'>, own: OwnAuth): AccessRules {
  const { host = '', allowedHosts, allowedOrigins, serviceToken } = config.api;
  return {
    listenHost: host,
    asksForCredentials: serviceToken !== undefined || asksForCredentials(config, own),
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(serviceToken !== undefined && { serviceToken }),
  };
}
