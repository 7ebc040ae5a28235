import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ServiceError } from '../errors/service-error.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** The images of guests, and the trust in registries. */
export interface ImageConfig {
  /** It contains the agents, at `/agent`, and everything that they need. */
  readonly image?: string;
  /** Absent: the published image of this version. */
  readonly baseImage?: string;
  /** The image whose root tree agents can use. Absent: none. */
  readonly mcpToolsImage?: string;
  readonly registry: {
    readonly caFile?: string;
    /** Base64 of PEM. */
    readonly caData?: string;
    readonly isInsecure: boolean;
  };
}

const keys = [
  'guest.image',
  'guest.base_image',
  'guest.mcp_tools_image',
  'guest.bundle_mcp_tools',
  'guest.registry.ca_file',
  'guest.registry.ca_data',
  'guest.registry.insecure',
] as const satisfies readonly SettingKey[];

function refuse(sentence: string, cause?: unknown): never {
  throw new ServiceError('config_invalid', sentence, { cause });
}

/**
 * The images that the settings request; undefined for the sandbox none. `config_invalid` when they contradict each
 * other.
 */
export function imageConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): ImageConfig | undefined {
  const named = (key: SettingKey): string => given.get(key) ?? key;
  if (values['guest.sandbox'] === 'none') {
    // A switch that is off has no requirement.
    const key = keys.find((one) => values[one] !== undefined && values[one] !== false);
    if (key === undefined) return undefined;
    return refuse(`${named(key)} needs the sandbox docker or gvisor.`);
  }
  const {
    'guest.image': image,
    'guest.base_image': baseImage,
    'guest.mcp_tools_image': toolsImage,
    'guest.bundle_mcp_tools': isBundled,
  } = values;
  if (isBundled && toolsImage === undefined) {
    return refuse(
      `${named('guest.bundle_mcp_tools')} needs --mcp-tools-image: that image names what is bundled.`,
    );
  }
  if (image !== undefined && baseImage !== undefined) {
    return refuse(
      `${named('guest.image')} and ${named('guest.base_image')} exclude each other: a pre-built image has its base.`,
    );
  }
  return {
    ...(image === undefined ? {} : { image }),
    ...(baseImage === undefined ? {} : { baseImage }),
    ...(isBundled && toolsImage !== undefined ? { mcpToolsImage: toolsImage } : {}),
    registry: registryTrust(values, named),
  };
}

/** Sentences about settings that have no effect. */
export function imageWarnings(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
): string[] {
  const name = given.get('guest.mcp_tools_image');
  if (name === undefined || values['guest.bundle_mcp_tools']) return [];
  return [`${name} has no effect without --bundle-mcp-tools.`];
}

function registryTrust(
  values: SettingValues,
  named: (key: SettingKey) => string,
): ImageConfig['registry'] {
  const {
    'guest.registry.ca_file': caFile,
    'guest.registry.ca_data': caData,
    'guest.registry.insecure': isInsecure,
  } = values;
  if (isInsecure && !values['tls.allow_insecure']) {
    return refuse(
      `${named('guest.registry.insecure')} checks no certificate: it is taken only with SERVICE_TLS_ALLOW_INSECURE=true.`,
    );
  }
  if (caFile !== undefined && caData !== undefined) {
    const [file, data] = [named('guest.registry.ca_file'), named('guest.registry.ca_data')];
    return refuse(`${file} and ${data} exclude each other.`);
  }
  if (caFile !== undefined)
    requireCertificate(read(caFile, named), 'guest.registry.ca_file', named);
  if (caData !== undefined) {
    const text = Buffer.from(caData, 'base64').toString('utf8');
    requireCertificate(text, 'guest.registry.ca_data', named);
  }
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(caData === undefined ? {} : { caData }),
    isInsecure,
  };
}

function read(file: string, named: (key: SettingKey) => string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    return refuse(
      `${named('guest.registry.ca_file')} names a file that cannot be read: ${file}`,
      cause,
    );
  }
}

/** A PEM file may hold several certificates with text between them: the first decides whether it is valid. */
function requireCertificate(
  text: string,
  key: SettingKey,
  named: (key: SettingKey) => string,
): void {
  try {
    void new X509Certificate(text);
  } catch (cause) {
    const form = key === 'guest.registry.ca_data' ? ' as base64' : '';
    refuse(`${named(key)} holds no PEM certificate${form}.`, cause);
  }
}

/**
 * The stable identity of an image of agents across rebuilds: its name without tag and digest, as registries name it.
 * Threads of `agents:1` continue with `agents:2`.
 */
export function imageIdentity(reference: string): string {
  const [named = reference] = reference.split('@', 1);
  const last = named.lastIndexOf('/') + 1;
  const [name = ''] = named.slice(last).split(':', 1);
  return `image/${named.slice(0, last)}${name}`;
}
