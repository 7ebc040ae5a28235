import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ReloadEvents } from './domain/live-domains.ts';
import { PolicyFindings, type PolicyFinding } from './findings.ts';

/** The results of reading changed policy files. */
export interface ReloadLog extends ReloadEvents {
  /** The errors in the files as they were last read; empty when they are in use. */
  readonly findings: readonly PolicyFinding[];
}

/** Logs every reload of policy files, each finding on its own line, and counts it. */
export function createReloadLog(
  files: readonly string[],
  logger: Pick<Logger, 'info' | 'error'>,
  counted: Metrics['policyReloads'],
): ReloadLog {
  let findings: readonly PolicyFinding[] = [];

  function onRefused(error: unknown): void {
    counted.inc({ result: 'failed' });
    const refused = 'the changed policies cannot be used, the previous ones stay active';
    if (!(error instanceof PolicyFindings)) {
      const message = error instanceof Error ? error.message : String(error);
      findings = [{ file: files[0] ?? '', line: 1, column: 1, message }];
      logger.error({ err: error }, refused);
      return;
    }
    ({ findings } = error);
    logger.error({ findings: findings.length }, refused);
    for (const { file, line, column, message } of findings) {
      logger.error({ file, line, column, finding: message }, 'policy finding');
    }
  }

  return {
    get findings() {
      return findings;
    },
    onReloaded() {
      findings = [];
      counted.inc({ result: 'ok' });
      logger.info({}, 'policies reloaded');
    },
    onRefused,
  };
}
