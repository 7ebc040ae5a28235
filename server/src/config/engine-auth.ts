import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ServiceError } from '../errors/service-error.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** Credentials of the connection to the engine; texts are PEM. Without `tls` it is plain. */
export interface EngineAuth {
  readonly apiKey?: string;
  readonly tls?: {
    /** Absent: the authorities that this machine trusts. */
    readonly ca?: string;
    readonly client?: { readonly cert: string; readonly key: string };
    /** Absent: the host of the target. */
    readonly serverName?: string;
  };
}

type MtlsName = 'ca' | 'cert' | 'key';

function refuse(sentence: string, cause?: unknown): never {
  throw new ServiceError('config_invalid', sentence, { cause });
}

function readPem(path: string, key: SettingKey): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    return refuse(`${key} names a file that cannot be read: ${path}`, cause);
  }
}

/** One of the three texts, from its file or its base64 data. */
function pemOf(values: SettingValues, name: MtlsName): string | undefined {
  const [fileKey, dataKey] = [
    `engine.auth.mtls.${name}_file`,
    `engine.auth.mtls.${name}_data`,
  ] as const;
  const { [fileKey]: path, [dataKey]: data } = values;
  if (path !== undefined && data !== undefined) {
    return refuse(`${fileKey} and ${dataKey} exclude each other.`);
  }
  if (path === undefined && data === undefined) return undefined;
  const given = path === undefined ? dataKey : fileKey;
  const pem =
    path === undefined
      ? Buffer.from(data ?? '', 'base64').toString('utf8')
      : readPem(path, fileKey);
  const kind = name === 'key' ? 'PRIVATE KEY-----' : 'CERTIFICATE-----';
  if (pem.includes(kind)) return pem;
  return refuse(`${given} holds no PEM ${name === 'key' ? 'private key' : 'certificate'}.`);
}

function checkPair(cert: string, key: string): void {
  let isPair = false;
  try {
    isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    refuse('The certificate or the key of engine.auth.mtls cannot be used.', cause);
  }
  if (!isPair) refuse('The key of engine.auth.mtls is not the key of its certificate.');
}

function requireTarget(values: SettingValues, given: ReadonlyMap<SettingKey, string>): void {
  const key = [...given.keys()].find((one) => one.startsWith('engine.auth.'));
  if (key === undefined || values['engine.target'] !== undefined) return;
  refuse(
    `${given.get(key)} needs engine.target: the embedded engine makes its credentials itself.`,
  );
}

/** The credentials that the settings request; `config_invalid` when they contradict each other. */
export function engineAuth(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): EngineAuth | undefined {
  requireTarget(values, given);
  const apiKey = values['engine.auth.api_key'];
  const serverName = values['engine.auth.mtls.server_name'];
  const ca = pemOf(values, 'ca');
  const cert = pemOf(values, 'cert');
  const key = pemOf(values, 'key');
  const type = values['engine.auth.type'];
  if ((cert === undefined) !== (key === undefined)) {
    const [has, lacks] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    return refuse(
      `engine.auth.mtls.${has}_file or _data needs engine.auth.mtls.${lacks}_file or _data.`,
    );
  }
  const client = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if (client !== undefined) checkPair(client.cert, client.key);
  if (apiKey !== undefined && (client !== undefined || type === 'mtls')) {
    return refuse(
      'engine.auth.api_key and mutual TLS exclude each other; the API key travels over TLS anyway.',
    );
  }
  if (type === 'api_key' && apiKey === undefined) {
    return refuse('engine.auth.type api_key needs engine.auth.api_key.');
  }
  if (type === 'mtls' && client === undefined) {
    return refuse(
      'engine.auth.type mtls needs engine.auth.mtls.cert_file and engine.auth.mtls.key_file.',
    );
  }
  const isAny = [apiKey, serverName, ca, client].some((part) => part !== undefined);
  if (!isAny) return undefined;
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(client === undefined ? {} : { client }),
      ...(serverName === undefined ? {} : { serverName }),
    },
  };
}
