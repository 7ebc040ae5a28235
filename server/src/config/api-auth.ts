import { ServiceError } from '../errors/service-error.ts';
import type { SettingValues } from './settings/settings.ts';

/** How callers are authenticated; absent: all callers are anonymous. */
export type ApiAuth =
  | { readonly kind: 'oidc'; readonly issuer: string; readonly audience: string }
  | { readonly kind: 'test' };

const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function refuse(sentence: string): never {
  throw new ServiceError('config_invalid', sentence);
}

function issuerUrl(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isIssuer = url !== undefined && /^https?:$/.test(url.protocol) && !/[?#]/.test(issuer);
  if (isIssuer) return url;
  return refuse(
    `api.auth.oidc_issuer takes an https URL without query and fragment, not "${issuer}".`,
  );
}

/** The authentication that the settings request; `config_invalid` when they contradict each other. */
export function apiAuth(values: SettingValues): { auth?: ApiAuth; warnings: string[] } {
  const issuer = values['api.auth.oidc_issuer'];
  const audience = values['api.auth.oidc_audience'];
  const isTestMode = values['api.auth.test_mode'];
  if (!values['api.auth.enabled']) {
    const given = issuer ?? audience;
    const warnings: string[] = [];
    if (given !== undefined && !isTestMode) {
      warnings.push('api.auth.oidc_issuer and _audience have no effect without api.auth.enabled.');
    }
    if (!isTestMode) return { warnings };
    warnings.push('api.auth.test_mode lets every caller choose who it is; development only.');
    return { auth: { kind: 'test' }, warnings };
  }
  if (isTestMode) {
    return refuse('api.auth.enabled and api.auth.test_mode exclude each other; switch one off.');
  }
  if (issuer === undefined || audience === undefined) {
    const missing = issuer === undefined ? 'api.auth.oidc_issuer' : 'api.auth.oidc_audience';
    return refuse(`api.auth.enabled needs ${missing}.`);
  }
  const { protocol, hostname } = issuerUrl(issuer);
  const isPlain = protocol === 'http:' && !LOCAL_HOST.test(hostname);
  const warnings = isPlain
    ? [
        'api.auth.oidc_issuer is not https: an attacker on the network path can hand out keys of their own.',
      ]
    : [];
  return { auth: { kind: 'oidc', issuer, audience }, warnings };
}
