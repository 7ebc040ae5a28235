import type { ServiceConfig } from '../config/service-config.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { LiveDomains, ReloadEvents } from '../policy/domain/live-domains.ts';
import {
  createPolicyInsight,
  noPolicies,
  type PoliciesInUse,
  type PolicyInsight,
} from '../policy/insight.ts';
import { createAccessLog } from '../policy/log/access-log.ts';
import { createPermissiveDomain } from '../policy/built-in-policies.ts';
import type { PolicyPort } from '../policy/port.ts';
import { createReloadLog } from '../policy/reload-log.ts';

/** Interval of checks for changed policy files. */
const LOOK_MS = 1_000;

/** Decides about requests and about agents' own calls. */
export interface Policies {
  readonly port: PolicyPort;
  /** Read access to the policies. */
  readonly ports: { readonly insight: PolicyInsight; readonly isTestMode: boolean };
  /** Reads the policy files again. Resolves when the current files were read; an invalid version changes nothing. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

export interface PolicyDeps {
  logger: Logger;
  metrics: Metrics;
  onProgress(sentence: string): void;
  /** Aborts the start. */
  signal?: AbortSignal;
  /** Callers choose their identity, so policies are visible to every caller. */
  isTestMode: boolean;
  /** Only the process that started the service calls it: the policy notices are omitted. */
  isOwnClient?: boolean;
}

const PERMISSIVE =
  'Policies: none are given, so the built-in domain permits everything; --policy names the files of others.';
const ALLOWALL =
  'Warning: authz.type is allowall: no policy is asked, everything is permitted (development only).';

/**
 * Opens the policies of the configuration; without policy files it loads no evaluator. Rejects with all findings when
 * they are invalid: a service never starts with other policies than the configured ones.
 */
export async function openPolicies(
  config: Pick<ServiceConfig, 'authz'>,
  deps: PolicyDeps,
): Promise<Policies> {
  const { isEverythingAllowed, policyFiles } = config.authz;
  const { isTestMode } = deps;
  const log = createAccessLog({ logger: deps.logger, lost: deps.metrics.accessRecordsLost });
  if (isEverythingAllowed || policyFiles.length === 0) {
    if (deps.isOwnClient !== true) deps.onProgress(isEverythingAllowed ? ALLOWALL : PERMISSIVE);
    const nothing = async (): Promise<void> => undefined;
    const none = noPolicies(isEverythingAllowed ? 'allowall' : 'embedded');
    const ports = { insight: createPolicyInsight(none, log.memory), isTestMode };
    return { port: createPermissiveDomain(), ports, reload: nothing, close: nothing };
  }
  const closing = new AbortController();
  const reloads = createReloadLog(policyFiles, deps.logger, deps.metrics.policyReloads);
  const domains = await openDomains(policyFiles, reloads, closing, deps);
  const { createDomainPolicyPort } = await import('../policy/domain/question-porc.ts');
  if (deps.isOwnClient !== true) deps.onProgress(`Policies: ${namesOf(domains)}.`);
  const watch = setInterval(() => void domains.look(), LOOK_MS).unref();
  const inUse: PoliciesInUse = {
    describe: () => ({
      ...{ type: 'embedded', isPermissive: false },
      ...domains.overview,
      findings: reloads.findings,
    }),
    decide: (porc) => domains.decide(porc),
  };
  return {
    port: createDomainPolicyPort(domains, {
      onDecision: log.onDecision,
      isExplaining: isTestMode,
    }),
    ports: { insight: createPolicyInsight(inUse, log.memory), isTestMode },
    reload: () => domains.reload(),
    async close() {
      clearInterval(watch);
      closing.abort();
      await domains.close();
      log.close();
    },
  };
}

async function openDomains(
  files: readonly string[],
  events: ReloadEvents,
  closing: AbortController,
  { logger, metrics, onProgress, signal }: PolicyDeps,
): Promise<LiveDomains> {
  const { LiveDomains } = await import('../policy/domain/live-domains.ts');
  const { createRegoOpener } = await import('../policy/rego/open-evaluator.ts');
  // The signal aborts the start only: afterwards it announces a stop, during which policies still decide.
  const giveUp = (): void => closing.abort();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await LiveDomains.open({
      files,
      open: createRegoOpener({ metrics, logger, onProgress, signal: closing.signal }),
      events,
    });
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

function namesOf({ overview: { domains } }: LiveDomains): string {
  const files = domains.map(({ name, file }) => `${name} (${file})`);
  return `${domains.length === 1 ? 'the domain' : 'the domains'} ${files.join(', ')}`;
}
