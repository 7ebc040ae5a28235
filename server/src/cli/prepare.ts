import { userConfigDir } from '../config/data-dir.ts';
import { loadConfig, type ConfigRequest, type LoadedConfig } from '../config/load-config.ts';
import { obtainLicense } from '../license/obtain-license.ts';
import { processTerminal } from './terminal.ts';

/** What both commands need before a service can start: a configuration and a valid licence. */
export async function prepare(request: ConfigRequest): Promise<LoadedConfig> {
  const loaded = loadConfig(request);
  const terminal = processTerminal();
  await obtainLicense({
    configDir: userConfigDir(request.environment),
    ...(loaded.licenseKey === undefined ? {} : { configuredKey: loaded.licenseKey }),
    ...(terminal === undefined ? {} : { terminal }),
  });
  return loaded;
}
