import { ServiceError } from '../errors/service-error.ts';
import type { SettingValues } from './settings/settings.ts';

/** The TLS settings of the API's listener; absent: it uses plain HTTP. */
export interface ApiTls {
  /** Absent: a self-signed certificate is generated. */
  readonly files?: { readonly certFile: string; readonly keyFile: string };
  readonly clientAuth: SettingValues['api.tls.client_auth'];
  readonly clientCaFile?: string;
}

const settings = ['cert_file', 'key_file', 'client_ca_file'] as const;

function refuse(sentence: string): never {
  throw new ServiceError('config_invalid', sentence);
}

function certificateFiles(values: SettingValues): Pick<ApiTls, 'files'> {
  const certFile = values['api.tls.cert_file'];
  const keyFile = values['api.tls.key_file'];
  if (values['api.tls.auto_cert']) {
    const given = certFile === undefined ? keyFile && 'key_file' : 'cert_file';
    if (given === undefined) return {};
    return refuse(`api.tls.auto_cert and api.tls.${given} exclude each other.`);
  }
  if (certFile !== undefined && keyFile !== undefined) return { files: { certFile, keyFile } };
  if (certFile === undefined && keyFile === undefined) {
    return refuse(
      'api.tls.enabled needs api.tls.cert_file and api.tls.key_file, or api.tls.auto_cert for development.',
    );
  }
  const [given, missing] =
    certFile === undefined ? ['key_file', 'cert_file'] : ['cert_file', 'key_file'];
  return refuse(`api.tls.${given} needs api.tls.${missing}.`);
}

function clientCertificates(values: SettingValues): Pick<ApiTls, 'clientAuth' | 'clientCaFile'> {
  const clientAuth = values['api.tls.client_auth'];
  const clientCaFile = values['api.tls.client_ca_file'];
  if (clientCaFile !== undefined) {
    if (clientAuth !== 'none') return { clientAuth, clientCaFile };
    return refuse(
      'api.tls.client_ca_file has no effect while api.tls.client_auth is none; require_and_verify is what lets in only its clients.',
    );
  }
  if (clientAuth !== 'verify_if_given' && clientAuth !== 'require_and_verify')
    return { clientAuth };
  return refuse(`api.tls.client_auth ${clientAuth} needs api.tls.client_ca_file.`);
}

/** The TLS that the settings request; `config_invalid` when they contradict each other. */
export function apiTls(values: SettingValues): ApiTls | undefined {
  if (values['api.tls.enabled']) {
    return { ...certificateFiles(values), ...clientCertificates(values) };
  }
  const named = settings.find((name) => values[`api.tls.${name}`] !== undefined);
  const isAuto = values['api.tls.auto_cert'] ? 'auto_cert' : undefined;
  const isAsking = values['api.tls.client_auth'] === 'none' ? undefined : 'client_auth';
  const given = named ?? isAuto ?? isAsking;
  if (given === undefined) return undefined;
  return refuse(`api.tls.${given} needs api.tls.enabled.`);
}
