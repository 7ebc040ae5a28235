import { EngineRuns, type EngineRunsPorts } from './client/engine-runs.ts';
import { EngineThreads, type EngineThreadsPorts } from './client/engine-threads.ts';
import { EngineStates } from './read/engine-states.ts';

type EngineParts = Omit<EngineThreadsPorts & EngineRunsPorts, 'states' | 'threadRemoval'> &
  Pick<Engine, 'isHealthy'>;

/**
 * The durable engine as `threads` sees it: a thread is a workflow, changes are Updates, reads are queries. Every method
 * rejects with a ServiceError: `thread_not_found`, `run_not_found`, `engine_unavailable`, or the code given in its
 * comment.
 */
export class Engine {
  readonly threads: EngineThreads;
  readonly runs: EngineRuns;
  readonly states: EngineStates;
  /** False while the engine does not respond. */
  readonly isHealthy: () => Promise<boolean>;

  constructor({ isHealthy, ...parts }: EngineParts) {
    this.states = new EngineStates(parts.threads, parts.payloads);
    this.threads = new EngineThreads({ ...parts, states: this.states });
    this.runs = new EngineRuns({ ...parts, threadRemoval: this.threads });
    this.isHealthy = isHealthy;
  }
}
