import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../errors/service-error.ts';
import { readConfigFile } from './config-file.ts';
import { variableOf, type Setting } from './settings/setting.ts';
import { settingEntries, type SettingKey, type SettingValues } from './settings/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The sources of settings, in the order of precedence. */
export interface SettingSources {
  /** Values of the command line, by setting key. */
  flags: ReadonlyMap<string, unknown>;
  environment: Environment;
  /** `--config`, which has precedence over SERVICE_CONFIG_FILE. */
  configFile?: string;
  /** The base of relative paths in flags and variables. */
  workingDir: string;
}

/** A raw value, a description of its source, and the base folder of its relative paths. */
interface Found {
  raw: unknown;
  name: string;
  baseDir: string;
  source: 'flag' | 'environment' | 'file';
}

export interface ResolvedSettings {
  values: SettingValues;
  /** The keys that have a value from some source, with the name that the user wrote. */
  given: ReadonlyMap<SettingKey, string>;
  /** The same keys, with their raw value and source. */
  found: ReadonlyMap<SettingKey, Pick<Found, 'raw' | 'source'>>;
}

function readSecret(path: string, baseDir: string, name: string): string {
  try {
    return readFileSync(resolve(baseDir, path), 'utf8').trim();
  } catch (cause) {
    throw new ServiceError('config_invalid', `${name} names a file that cannot be read: ${path}`, {
      cause,
    });
  }
}

function find(
  key: SettingKey,
  setting: Setting,
  sources: SettingSources,
  file: { values: Map<string, unknown>; path?: string },
): Found | undefined {
  const baseDir = sources.workingDir;
  const flagged = sources.flags.get(key);
  if (flagged !== undefined) {
    return { raw: flagged, name: `--${setting.flag?.name ?? key}`, baseDir, source: 'flag' };
  }
  const variable = variableOf(key);
  const value = sources.environment[variable];
  if (value !== undefined && value !== '') {
    return { raw: value, name: variable, baseDir, source: 'environment' };
  }
  const standard = setting.standardVariable;
  const standardValue = standard === undefined ? undefined : sources.environment[standard];
  if (standard !== undefined && standardValue !== undefined && standardValue !== '') {
    return { raw: standardValue, name: standard, baseDir, source: 'environment' };
  }
  const secretPath =
    setting.isSecret === true ? sources.environment[`${variable}_FILE`] : undefined;
  if (secretPath !== undefined && secretPath !== '') {
    const name = `${variable}_FILE`;
    return { raw: readSecret(secretPath, baseDir, name), name, baseDir, source: 'environment' };
  }
  const fileDir = file.path === undefined ? baseDir : dirname(file.path);
  const name = `${key} in ${file.path ?? ''}`;
  const written = file.values.get(key);
  if (written !== undefined) return { raw: written, name, baseDir: fileDir, source: 'file' };
  const writtenPath = file.values.get(`${key}_file`);
  if (setting.isSecret !== true || typeof writtenPath !== 'string') return undefined;
  return {
    raw: readSecret(writtenPath, fileDir, name),
    name,
    baseDir: fileDir,
    source: 'file',
  };
}

/** Resolves paths of a setting against the base folder. */
function anchored(setting: Setting, value: unknown, baseDir: string): unknown {
  if (typeof value === 'string') {
    const isPath = setting.isPath === true || (setting.isProgram === true && /[\\/]/.test(value));
    return isPath ? resolve(baseDir, value) : value;
  }
  if (setting.isPath !== true || !Array.isArray(value)) return value;
  return value.map((path) => resolve(baseDir, String(path)));
}

function refuseAwaited(setting: Setting, value: unknown, name: string): void {
  const standard = setting.schema.parse(undefined);
  if (setting.awaits === undefined || JSON.stringify(value) === JSON.stringify(standard)) return;
  throw new ServiceError(
    'config_invalid',
    `${name} is not available yet: ${setting.awaits} will come with a later version.`,
  );
}

/** Every setting's value by flag > environment > file > default; the first invalid one is refused by name. */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const chosen = sources.configFile ?? (sources.environment['SERVICE_CONFIG_FILE'] || undefined);
  const path = chosen === undefined ? undefined : resolve(sources.workingDir, chosen);
  const file =
    path === undefined
      ? { values: new Map<string, unknown>() }
      : { path, values: readConfigFile(path) };

  const values: Record<string, unknown> = {};
  const given = new Map<SettingKey, string>();
  const allFound = new Map<SettingKey, Found>();
  for (const [key, setting] of settingEntries()) {
    const found = find(key, setting, sources, file);
    const parsed = setting.schema.safeParse(found?.raw);
    if (!parsed.success) {
      const reason = parsed.error.issues[0]?.message ?? 'is wrong';
      const shown = setting.isSecret === true ? '' : `, not ${JSON.stringify(found?.raw)}`;
      throw new ServiceError('config_invalid', `${found?.name ?? key} ${reason}${shown}.`);
    }
    if (found !== undefined) {
      refuseAwaited(setting, parsed.data, found.name);
      given.set(key, found.name);
      allFound.set(key, found);
    }
    values[key] = anchored(setting, parsed.data, found?.baseDir ?? sources.workingDir);
  }
  // Filled key by key from the table that SettingValues is derived from.
  return { values: values as SettingValues, given, found: allFound };
}
