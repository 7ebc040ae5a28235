import type { ServiceConfig } from '../config/service-config.ts';
import { offerImages, type FindImages } from './offer-images.ts';
import { offerPackages, type FindPackages, type Offer } from './offer-packages.ts';

/** Looks for what agents need before a start. */
export interface FindMissing {
  packages: FindPackages;
  images: FindImages;
}

/** Offers what the agents of a folder miss, by the question or by `--install`. */
export async function offerMissing(
  config: ServiceConfig,
  find: FindMissing,
  offer: Offer,
): Promise<void> {
  await offerPackages(config, find.packages, offer);
  await offerImages(config, find.images, offer);
}
