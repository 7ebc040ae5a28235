import * as z from 'zod';
import { loadConfig, type ConfigRequest } from './load-config.ts';
import { resolveSettings } from './resolve-settings.ts';
import type { ServiceConfig } from './service-config.ts';
import type { Setting } from './settings/setting.ts';
import { settingEntries, type SettingKey } from './settings/settings.ts';

const MASK = '********';

/** One setting with its effective value. */
export interface EffectiveSetting {
  key: SettingKey;
  /** In the notation of the configuration; null when it is not set and has no default. Secrets are masked. */
  value: string | number | boolean | string[] | null;
  source: 'flag' | 'environment' | 'file' | 'default';
  /** The flag, the variable or the key of the file; absent for defaults. */
  from?: string;
}

/** The values of computed defaults. */
function computed(config: ServiceConfig): Partial<Record<SettingKey, string | number>> {
  return {
    data_dir: config.dataDir,
    cache_dir: config.cacheDir,
    'api.max_body_bytes': config.api.maxBodyBytes,
    'engine.task_queue': config.engine.taskQueue,
    'engine.max_checkpoint_bytes': config.engine.maxCheckpointBytes,
  };
}

/** The parsed value where its text is the same, otherwise the raw value: `30s`, `512Mi`, `:8090`. */
function shown(parsed: unknown, raw: unknown): EffectiveSetting['value'] {
  if (typeof parsed === 'string' || typeof parsed === 'boolean') return parsed;
  if (Array.isArray(parsed)) return parsed.map(String);
  return typeof raw === 'string' || typeof raw === 'number' ? raw : null;
}

function defaultOf({ schema }: Setting): unknown {
  return schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined;
}

/**
 * Every setting with its value and its source; `config_invalid`, as from `serve`, when the service would not start with
 * them.
 */
export function effectiveSettings(request: ConfigRequest): {
  settings: EffectiveSetting[];
  warnings: string[];
} {
  const { config, warnings } = loadConfig(request);
  const { values, given, found } = resolveSettings(request);
  const defaults = computed(config);
  const settings = settingEntries().map(([key, setting]): EffectiveSetting => {
    const source = found.get(key);
    const from = given.get(key);
    if (source === undefined || from === undefined) {
      const value = defaults[key] ?? shown(values[key], defaultOf(setting));
      return { key, value, source: 'default' };
    }
    const value = setting.isSecret === true ? MASK : shown(values[key], source.raw);
    return { key, value, source: source.source, from };
  });
  return { settings, warnings };
}
