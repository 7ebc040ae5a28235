import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';

/** A running service, as the commands see it. */
export interface RunningService {
  readonly url: string;
  /** Where the studio is served, if it is. */
  readonly studioUrl?: string;
  /** Takes no new requests, waits up to `drainMs` for runs in flight, then takes everything down. */
  close(options: { drainMs: number; onProgress?: (activeRuns: number) => void }): Promise<void>;
  /** Takes everything down at once. */
  kill(): Promise<void>;
  /** Reads the policy files again. */
  reloadPolicies(): Promise<void>;
  /** Writes a run that has ended into one file; returns its bytes. */
  writeBundle(runId: string, file: string): Promise<number>;
}

/** What a command gives the service it starts. */
export interface StarterDeps {
  logger: Logger;
  onProgress: (step: string) => void;
  /** Aborted when the user stops the command before the service is up. */
  signal: AbortSignal;
  /** Claims that every request has, instead of the anonymous ones (`run --principal-file`). */
  principal?: Record<string, unknown>;
  /** Nobody but the command calls the service, so nobody is authenticated (`run`). */
  isOwnClient?: boolean;
}

/** Starts a service; rejects with a ServiceError whose sentence can be shown as it is. */
export type ServiceStarter = (config: ServiceConfig, deps: StarterDeps) => Promise<RunningService>;
