import { join } from 'node:path';
import { openAssistants } from '../assistants/open-assistants.ts';
import type { AssistantsPort } from '../assistants/port.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { postgresOptions } from '../store/postgres-options.ts';

/**
 * The assistants: in the store's PostgreSQL, which several services share, and otherwise in a file of the data
 * directory. Nothing is opened before one is asked for.
 */
export function keepAssistants({
  store,
  dataDir,
}: Pick<ServiceConfig, 'store' | 'dataDir'>): AssistantsPort {
  if (store?.provider === 'postgresql') {
    return openAssistants({ provider: 'postgresql', options: postgresOptions(store) });
  }
  return openAssistants({ provider: 'sqlite', path: join(dataDir, 'assistants.db') });
}
