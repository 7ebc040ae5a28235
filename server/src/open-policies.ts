import type { ServiceConfig } from './config/service-config.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import type { LiveDomains, ReloadEvents } from './policy/domain/live-domains.ts';
import type { OnDecision } from './policy/domain/question-porc.ts';
import { PolicyFindings } from './policy/findings.ts';
import { createPermissiveDomain } from './policy/permissive-domain.ts';
import type { PolicyPort } from './policy/port.ts';

/** How often the policy files are looked at. */
const LOOK_MS = 1_000;

/** What decides about requests and about agents' own calls. */
export interface Policies {
  readonly port: PolicyPort;
  /** The policy files that decide. Absent: everything is permitted. */
  readonly domains?: Pick<LiveDomains, 'overview' | 'decide'>;
  /** Reads the policy files again. Resolves when what is on the disk now was read; a wrong version changes nothing. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface PolicyDeps {
  logger: Logger;
  metrics: Metrics;
  onProgress(sentence: string): void;
  /** Gives up the start. */
  signal?: AbortSignal;
  /** Nobody but who started the service calls it: nobody has to be told that everything is permitted. */
  isOwnClient?: boolean;
  /** Told of every decision. */
  onDecision?: OnDecision;
}

const PERMISSIVE =
  'Policies: none are given, so the built-in domain permits everything; --policy names the files of others.';
const ALLOWALL =
  'Warning: authz.type is allowall: no policy is asked, everything is permitted (development only).';

/**
 * Opens the policies of the configuration; without policy files nothing of what evaluates them is loaded. Rejects with
 * all findings when they cannot be used: no service starts with policies that are not those that were given.
 */
export async function openPolicies(
  config: Pick<ServiceConfig, 'authz' | 'api'>,
  deps: PolicyDeps,
): Promise<Policies> {
  const { isEverythingAllowed, policyFiles } = config.authz;
  if (isEverythingAllowed || policyFiles.length === 0) {
    if (deps.isOwnClient !== true) deps.onProgress(isEverythingAllowed ? ALLOWALL : PERMISSIVE);
    const nothing = async (): Promise<void> => undefined;
    return { port: createPermissiveDomain(), reload: nothing, close: nothing };
  }
  const closing = new AbortController();
  const domains = await openDomains(policyFiles, closing, deps);
  const { createDomainPolicyPort } = await import('./policy/domain/question-porc.ts');
  if (deps.isOwnClient !== true) deps.onProgress(`Policies: ${namesOf(domains)}.`);
  const watch = setInterval(() => void domains.look(), LOOK_MS).unref();
  return {
    port: createDomainPolicyPort(domains, {
      ...(deps.onDecision && { onDecision: deps.onDecision }),
      isExplaining: config.api.auth?.kind === 'test',
    }),
    domains,
    reload: () => domains.reload(),
    async close() {
      clearInterval(watch);
      closing.abort();
      await domains.close();
    },
  };
}

async function openDomains(
  files: readonly string[],
  closing: AbortController,
  { logger, metrics, onProgress, signal }: PolicyDeps,
): Promise<LiveDomains> {
  const { LiveDomains } = await import('./policy/domain/live-domains.ts');
  const { createRegoOpener } = await import('./policy/rego/open-evaluator.ts');
  // Given up by who starts the service; later that signal says that it stops, and policies decide until it has.
  const giveUp = (): void => closing.abort();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await LiveDomains.open({
      files,
      open: createRegoOpener({ metrics, logger, onProgress, signal: closing.signal }),
      events: reloadEvents(logger),
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

function reloadEvents(logger: Logger): ReloadEvents {
  return {
    onReloaded: () => logger.info({}, 'policies reloaded'),
    onRefused(error) {
      const refused = 'the changed policies cannot be used, those before go on deciding';
      if (!(error instanceof PolicyFindings)) return logger.error({ err: error }, refused);
      logger.error({ findings: error.findings.length }, refused);
      for (const { file, line, column, message } of error.findings) {
        logger.error({ file, line, column, finding: message }, 'policy finding');
      }
    },
  };
}

function namesOf({ overview: { domains } }: LiveDomains): string {
  const files = domains.map(({ name, file }) => `${name} (${file})`);
  return `${domains.length === 1 ? 'the domain' : 'the domains'} ${files.join(', ')}`;
}
