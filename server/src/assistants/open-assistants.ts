import { onDemand } from '../database/on-demand.ts';
import type { DatabaseSettings } from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { OpenAssistants } from './assistants-database.ts';
import { type AssistantLimits, defaultLimits } from './limits.ts';
import type { AssistantsPort } from './port.ts';

/** The assistants of a database that is opened when it is first needed, and again after it failed to open. */
export function openAssistants(
  database: DatabaseSettings,
  limits: AssistantLimits = defaultLimits,
): AssistantsPort {
  const opened = onDemand(() => open(database, limits), unavailable);
  const inDatabase = <T>(act: (assistants: OpenAssistants['assistants']) => Promise<T>) =>
    opened.run(({ assistants }) => act(assistants));
  return {
    create: (...made) => inDatabase((assistants) => assistants.create(...made)),
    read: (id) => inDatabase((assistants) => assistants.read(id)),
    change: (...changed) => inDatabase((assistants) => assistants.change(...changed)),
    setVersion: (...set) => inDatabase((assistants) => assistants.setVersion(...set)),
    versions: (id) => inDatabase((assistants) => assistants.versions(id)),
    delete: (id) => inDatabase((assistants) => assistants.delete(id)),
    list: (filter) => inDatabase((assistants) => assistants.list(filter)),
    close: () => opened.close(),
  };
}

/** Its modules are loaded only where an assistant is asked for. */
async function open(database: DatabaseSettings, limits: AssistantLimits): Promise<OpenAssistants> {
  const { openAssistantsDatabase } = await import('./assistants-database.ts');
  return openAssistantsDatabase(database, limits);
}

function unavailable(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('assistants_unavailable', 'The assistants cannot be read.', { cause });
}
