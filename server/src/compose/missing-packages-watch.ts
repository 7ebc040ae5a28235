/** Missing packages of a running service: GET /info names them beside the agents that could not be loaded. */
import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';
import { type AgentPackages, missingAgentPackages } from './agent-packages.ts';

/** What a person can install, as they would type it. */
export type NamedPackages = Omit<AgentPackages, 'install'>;

export interface MissingPackagesWatch {
  /** Looks for them in the background; what was found before stays until then. */
  look(): void;
  found(): readonly NamedPackages[];
}

/** Looks only on request, since a look starts programs. */
export function watchMissingPackages(
  config: ServiceConfig,
  { logger, signal }: { logger: Pick<Logger, 'warn'>; signal: AbortSignal },
): MissingPackagesWatch {
  let known: readonly NamedPackages[] = [];
  let looks = 0;
  return {
    look() {
      const look = (looks += 1);
      missingAgentPackages(config, signal).then(
        (missing) => {
          if (look === looks) known = missing.map(({ install: _, ...packages }) => packages);
        },
        (err: unknown) => {
          if (!signal.aborted) logger.warn({ err }, 'missing packages were not looked for');
        },
      );
    },
    found: () => known,
  };
}
