/**
 * Agent Runtime as a library: one function that starts the whole service in this process.
 *
 * @example
 * const service = await createService(config, { logger, onProgress: console.error });
 * await fetch(`${service.url}/health`);
 * await service.close({ drainMs: 5_000 });
 */
export { createService, type Service, type ServiceDeps, type StartStep } from './service.ts';
export { missingAgentPackages, type AgentPackages } from './compose/agent-packages.ts';
export {
  missingAgentImages,
  type ImageLookup,
  type MissingImages,
} from './compose/images/agent-images.ts';
export {
  examineSandboxes,
  type SandboxFinding,
  type SandboxFindings,
} from './compose/examine-sandboxes.ts';
export type {
  Debugging,
  DebuggingView,
  DebugProvider,
  DebugRequest,
} from './guest/debug/debugging.ts';
export { loadConfig, type ConfigRequest, type LoadedConfig } from './config/load-config.ts';
export type { ServiceConfig } from './config/service-config.ts';
export { isServiceError } from './errors/service-error.ts';
export { communityKey, verifyLicense } from './license/verify-license.ts';
export { createLogger } from './observability/logger.ts';
