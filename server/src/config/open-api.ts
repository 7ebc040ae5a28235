import { isLoopback } from './api-hosts.ts';
import type { ServiceConfig } from './service-config.ts';

/** The agent folder's own `auth`, if it is asked. */
export type OwnAuth = { readonly isStudioAuthDisabled: boolean } | undefined;

type Asking = Pick<ServiceConfig['api'], 'auth' | 'tls'>;

/** True when nobody is let in who does not show who it is. In test mode anybody may say to be the studio's user. */
function asksForCredentials({ auth, tls }: Asking, own: OwnAuth): boolean {
  const isOwnAsking = own !== undefined && (!auth || own.isStudioAuthDisabled);
  return auth?.kind === 'oidc' || tls?.clientAuth === 'require_and_verify' || isOwnAsking;
}

/** True when callers of the API, on this machine too, must show who they are or have the service's token. */
export function isApiGuarded(
  { api }: { api: Asking & Pick<ServiceConfig['api'], 'serviceToken'> },
  own?: OwnAuth,
): boolean {
  return api.serviceToken !== undefined || asksForCredentials(api, own);
}

/** True in test mode, where every caller says who it is, unless the folder's own `auth` alone says so. */
export function mayChooseWho({ api }: { api: Pick<Asking, 'auth'> }, own: OwnAuth): boolean {
  return api.auth?.kind === 'test' && own?.isStudioAuthDisabled !== true;
}

/** A warning when everybody may call the API from other machines. */
export function openApiWarning(
  { api }: Pick<ServiceConfig, 'api'>,
  own?: OwnAuth,
): string | undefined {
  if (isLoopback(api) || asksForCredentials(api, own)) return undefined;
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
    asksForCredentials: isApiGuarded(config, own),
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(serviceToken !== undefined && { serviceToken }),
  };
}
