import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';

/** A running service, as the commands use it. */
export interface RunningService {
  readonly url: string;
  /** The address of the studio, if it is served. */
  readonly studioUrl?: string;
  /** Accepts no new requests, waits up to `drainMs` for runs in flight, then shuts everything down. */
  close(options: { drainMs: number; onProgress?: (activeRuns: number) => void }): Promise<void>;
  /** Shuts everything down at once. */
  kill(): Promise<void>;
  /** Reads the policy files again. */
  reloadPolicies(): Promise<void>;
  /** Writes a run that has ended into one file; returns its bytes. */
  writeBundle(runId: string, file: string): Promise<number>;
}

/** What a command passes to the service that it starts. */
export interface StarterDeps {
  logger: Logger;
  onProgress: (step: string) => void;
  /** Aborted when the user stops the command during the start. */
  signal: AbortSignal;
  /** Claims of every request, instead of anonymous ones (`run --principal-file`). */
  principal?: Record<string, unknown>;
  /** Only the command calls the service, so no caller is authenticated (`run`). */
  isOwnClient?: boolean;
}

/** Starts a service; rejects with a ServiceError whose message is meant for users. */
export type ServiceStarter = (config: ServiceConfig, deps: StarterDeps) => Promise<RunningService>;
