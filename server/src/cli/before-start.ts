import type { ServiceConfig } from '../config/service-config.ts';
import { type FindImages, offerImages } from './offer-images.ts';
import { type FindPackages, type Offer, offerPackages } from './offer-packages.ts';
import { userConfigDir } from '../config/data-dir.ts';
import { type ConfigRequest, loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { obtainLicense } from '../license/obtain-license.ts';
import { processTerminal } from './terminal.ts';

/** Checks of the agents' requirements before a start. */
export interface FindMissing {
  packages: FindPackages;
  images: FindImages;
}

/** Installs what a folder's agents need and lack, after a prompt or by `--install`. */
export async function offerMissing(
  config: ServiceConfig,
  find: FindMissing,
  offer: Offer,
): Promise<void> {
  await offerPackages(config, find.packages, offer);
  await offerImages(config, find.images, offer);
}

/** The requirements of `serve` and `run` before a service can start: a configuration and a valid licence. */
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
