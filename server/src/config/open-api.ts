import { isLoopback } from './listener.ts';
import type { ServiceConfig } from './service-config.ts';

/** The agent folder's own `auth`, if it is used. */
export type OwnAuth = { readonly isStudioAuthDisabled: boolean } | undefined;

type Asking = Pick<ServiceConfig['api'], 'auth' | 'tls'>;

/** True when every caller must authenticate. In test mode any caller may claim to be the studio's user. */
function asksForCredentials({ auth, tls }: Asking, own: OwnAuth): boolean {
  const isOwnAsking = own !== undefined && (!auth || own.isStudioAuthDisabled);
  return auth?.kind === 'oidc' || tls?.clientAuth === 'require_and_verify' || isOwnAsking;
}

/** True when API callers, on this machine too, must authenticate or send the service's token. */
export function isApiGuarded(
  { api }: { api: Asking & Pick<ServiceConfig['api'], 'serviceToken'> },
  own?: OwnAuth,
): boolean {
  return api.serviceToken !== undefined || asksForCredentials(api, own);
}

/** True in test mode, where callers choose their identity, unless only the folder's own `auth` decides. */
export function mayChooseWho({ api }: { api: Pick<Asking, 'auth'> }, own: OwnAuth): boolean {
  return api.auth?.kind === 'test' && own?.isStudioAuthDisabled !== true;
}

/** A warning when any caller on another machine may use the API. */
export function openApiWarning(
  { api }: Pick<ServiceConfig, 'api'>,
  own?: OwnAuth,
): string | undefined {
  if (isLoopback(api) || asksForCredentials(api, own)) return undefined;
  return 'The API can be reached from other machines and asks for no credentials; --api-addr 127.0.0.1:8090 keeps it on this one.';
}

/** The access checks of every HTTP request. */
export interface AccessRules {
  readonly listenHost: string;
  readonly asksForCredentials: boolean;
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly serviceToken?: string;
}

/** The host names, origins and token with which the API may be called. */
export function accessRules(config: Pick<ServiceConfig, 'api'>, own: OwnAuth): AccessRules {
  const { host = '', allowedHosts, allowedOrigins, serviceToken } = config.api;
  return {
    listenHost: host,
    asksForCredentials: isApiGuarded(config, own),
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(serviceToken !== undefined && { serviceToken }),
  };
}
