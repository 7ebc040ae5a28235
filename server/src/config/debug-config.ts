import { resolve } from 'node:path';
import { ServiceError } from '../errors/service-error.ts';
import { wrongDebugOption } from '../model/debugging.ts';
import type { ServiceConfig } from './service-config.ts';
import type { SettingKey, SettingValues } from './settings/settings.ts';

/** The debugger that `--debug` starts; undefined without it. `config_invalid` with one sentence. */
export function debugConfig(
  values: SettingValues,
  given: ReadonlyMap<SettingKey, string>,
  workingDir: string,
): ServiceConfig['guest']['debug'] {
  const provider = values['guest.debug.provider'];
  const name = given.get('guest.debug.provider_options') ?? '--debug-opt';
  const options: Record<string, string> = {};
  for (const entry of values['guest.debug.provider_options']) {
    const [key = '', ...rest] = entry.split('=');
    if (rest.length === 0) {
      throw new ServiceError(
        'config_invalid',
        `${name} is key=value, not ${JSON.stringify(entry)}.`,
      );
    }
    options[key.trim()] = rest.join('=').trim();
  }
  const wrong = wrongDebugOption(provider, options);
  if (wrong !== undefined) throw new ServiceError('config_invalid', `${name}: ${wrong}`);
  if (!values['guest.debug.enabled']) return undefined;
  if (values['guest.sandbox'] !== 'none') {
    const sentence =
      '--debug needs --sandbox none: a debugger reaches only plain processes of this user.';
    throw new ServiceError('config_invalid', sentence);
  }
  const logDir = options['log-dir'];
  if (logDir !== undefined) options['log-dir'] = resolve(workingDir, logDir);
  return { provider, port: values['guest.debug.port'], options };
}
