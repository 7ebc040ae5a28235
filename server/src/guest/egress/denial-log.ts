import type { RunId } from '../../model/ids.ts';
import type { Logger } from '../port.ts';
import type { Target } from './allow-list.ts';
import type { DenyReason } from './refusal.ts';

/** So many runs of a guest are named; with more of them, the others are not. */
const RUNS_NAMED = 10;

export interface DenialLogOptions {
  logger: Logger;
  /** The runs that the guest has at the moment. Which of them it was, nobody can tell. */
  runsOf: () => readonly RunId[];
  /** How long the same is not logged again, and how much is logged meanwhile. */
  burst: { ms: number; hosts: number };
  now?: () => number;
}

/** Logs what agents may not reach: host and port alone, each with each reason once in a while. */
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
