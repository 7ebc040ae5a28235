import type { RunId } from '../../model/ids.ts';
import type { Logger } from '../port.ts';
import type { Target } from './allow-list.ts';
import type { DenyReason } from './refusal.ts';

/** Most runs of a guest that a log line names. */
const RUNS_NAMED = 10;

export interface DenialLogOptions {
  logger: Logger;
  /** The guest's current runs. It is not known which of them made the request. */
  runsOf: () => readonly RunId[];
  /** The interval in which the same refusal is not logged again, and the most lines in it. */
  burst: { ms: number; hosts: number };
  now?: () => number;
}

/** Logs refused targets: host and port only, at most once per interval for each target and reason. */
export class DenialLog {
  readonly #options: DenialLogOptions;
  readonly #logged = new Set<string>();
  #since = Number.NEGATIVE_INFINITY;
  #notLogged = 0;

  constructor(options: DenialLogOptions) {
    this.#options = options;
  }

  note({ host, port }: Target, reason: DenyReason): void {
    const { burst, logger, runsOf, now = () => performance.now() } = this.#options;
    if (now() - this.#since >= burst.ms) {
      this.#since = now();
      this.#logged.clear();
    }
    const key = `${reason} ${host}:${port}`;
    if (this.#logged.has(key) || this.#logged.size >= burst.hosts) {
      this.#notLogged += 1;
      return;
    }
    this.#logged.add(key);
    const before = this.#notLogged > 0 ? { not_logged: this.#notLogged } : {};
    this.#notLogged = 0;
    const run_ids = runsOf().slice(0, RUNS_NAMED);
    logger.warn({ host, port, reason, run_ids, ...before }, 'agent network access refused');
  }
}
