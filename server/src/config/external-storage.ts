import { ServiceError } from '../errors/service-error.ts';
import type { SettingValues } from './settings/settings.ts';

/** Where payloads of at least `thresholdBytes` are stored, outside of their threads. */
export type ExternalStorageConfig = { readonly thresholdBytes: number } & (
  | {
      readonly type: 'directory';
      /** Absent: `payloads` in the data directory. */
      readonly path?: string;
    }
  | {
      readonly type: 's3';
      readonly bucket: string;
      /** Empty, or ends with a slash. */
      readonly prefix: string;
      readonly region: string;
      /** Absent: the endpoint of the region. */
      readonly endpoint?: string;
      readonly isPathStyle: boolean;
    }
);

/** The external checkpoint storage that the settings request; absent: it is off. */
export function externalStorageConfig(values: SettingValues): {
  externalStorage?: ExternalStorageConfig;
  warnings: string[];
} {
  const type = values['engine.external_storage.type'];
  const thresholdBytes = values['engine.external_storage.threshold_bytes'];
  const path = values['engine.external_storage.directory.path'];
  const bucket = values['engine.external_storage.s3.bucket'];
  const isHalfway =
    (type !== 'directory' && path !== undefined) || (type !== 's3' && bucket !== undefined);
  const warnings = isHalfway
    ? [
        `Settings of engine.external_storage have no effect, since its type is ${type ?? 'not set'}.`,
      ]
    : [];
  if (type === undefined) return { warnings };
  if (thresholdBytes < SMALLEST_THRESHOLD_BYTES || thresholdBytes > LARGEST_THRESHOLD_BYTES) {
    throw refused(
      `engine.external_storage.threshold_bytes is ${thresholdBytes}, but takes ${SMALLEST_THRESHOLD_BYTES} to ${LARGEST_THRESHOLD_BYTES}.`,
    );
  }
  if (type === 'directory') {
    return {
      externalStorage: { type, thresholdBytes, ...(path === undefined ? {} : { path }) },
      warnings,
    };
  }
  if (bucket === undefined) {
    throw refused('engine.external_storage.type s3 needs engine.external_storage.s3.bucket.');
  }
  const endpoint = values['engine.external_storage.s3.endpoint'];
  if (endpoint !== undefined && !isHttpUrl(endpoint)) {
    throw refused(
      `engine.external_storage.s3.endpoint is ${endpoint}, but takes a URL such as https://s3.example.com.`,
    );
  }
  const prefix = values['engine.external_storage.s3.prefix'];
  return {
    externalStorage: {
      type,
      thresholdBytes,
      bucket,
      prefix: prefix === undefined || prefix.endsWith('/') ? (prefix ?? '') : `${prefix}/`,
      region: values['engine.external_storage.s3.region'],
      ...(endpoint === undefined ? {} : { endpoint }),
      isPathStyle: values['engine.external_storage.s3.path_style'],
    },
    warnings,
  };
}

/** A reference takes some hundred bytes: a smaller threshold saves nothing. */
const SMALLEST_THRESHOLD_BYTES = 1_024;

/** A payload within its thread must fit together with others into one payload of the engine. */
const LARGEST_THRESHOLD_BYTES = 1_024 * 1_024;

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function refused(sentence: string): ServiceError {
  return new ServiceError('config_invalid', sentence);
}
