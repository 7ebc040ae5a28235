/**
 * Agent Runtime as a library: one function that starts the whole service in this process.
 *
 * @example
 * const service = await createService(config, { logger, onProgress: console.error });
 * await fetch(`${service.url}/health`);
 * await service.close({ drainMs: 5_000 });
 */
export { createService, type Service, type ServiceDeps } from './service.ts';
export type { ServiceConfig } from './config/service-config.ts';
