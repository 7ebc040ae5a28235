import { existsSync } from 'node:fs';
import { onDemand } from '../database/on-demand.ts';
import type { DatabaseSettings } from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { OpenCrons } from './crons-database.ts';
import { type CronLimits, defaultLimits } from './limits.ts';
import type { CronsPort } from './port.ts';

/** The crons of a database that is opened when it is first needed, and again after it failed to open. */
export function openCrons(
  database: DatabaseSettings,
  limits: CronLimits = defaultLimits,
): CronsPort {
  const opened = onDemand(() => open(database, limits), unavailable);
  const inDatabase = <T>(act: (crons: OpenCrons['crons']) => Promise<T>) =>
    opened.run(({ crons }) => act(crons));
  let changed: () => void = () => undefined;

  async function changing<T>(act: (crons: OpenCrons['crons']) => Promise<T>): Promise<T> {
    const result = await inDatabase(act);
    changed();
    return result;
  }

  return {
    create: (...made) => changing((crons) => crons.create(...made)),
    read: (id) => inDatabase((crons) => crons.read(id)),
    change: (...change) => changing((crons) => crons.change(...change)),
    delete: (id) => inDatabase((crons) => crons.delete(id)),
    list: (filter) => inDatabase((crons) => crons.list(filter)),
    due: (...asked) => inDatabase((crons) => crons.due(...asked)),
    nextDue: (except) => inDatabase((crons) => crons.nextDue(except)),
    advance: (due) => inDatabase((crons) => crons.advance(due)),
    onChange: (listener) => (changed = listener),
    mayHaveSome: () => database.provider === 'postgresql' || existsSync(database.path),
    close: () => opened.close(),
  };
}

/** Its modules are loaded only where a cron is asked for. */
async function open(database: DatabaseSettings, limits: CronLimits): Promise<OpenCrons> {
  const { openCronsDatabase } = await import('./crons-database.ts');
  return openCronsDatabase(database, limits);
}

function unavailable(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('crons_unavailable', 'The crons cannot be read.', { cause });
}
