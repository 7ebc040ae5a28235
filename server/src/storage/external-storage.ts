import { join } from 'node:path';
import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { BlobBackend } from './blob-backend.ts';
import { openBackend } from './open-storage.ts';
import { PayloadStorage } from './payload-storage.ts';

/** The external checkpoint storage: its backend and the payloads in it. */
export interface ExternalStorage {
  backend: BlobBackend;
  payloads: PayloadStorage;
}

/** Opens the external checkpoint storage of the configuration; undefined when it is switched off. */
export async function openExternalStorage(
  config: ServiceConfig,
  metrics: Metrics,
  logger: Logger,
): Promise<ExternalStorage | undefined> {
  const { externalStorage } = config.engine;
  if (!externalStorage) return undefined;
  const location =
    externalStorage.type === 'directory'
      ? {
          type: externalStorage.type,
          path: externalStorage.path ?? join(config.dataDir, 'payloads'),
        }
      : externalStorage;
  const backend = await openBackend(location);
  const { thresholdBytes } = externalStorage;
  const payloadBytes = metrics.checkpointStoragePayloadBytes;
  const payloads = new PayloadStorage({ backend, thresholdBytes, logger, payloadBytes });
  return { backend, payloads };
}
