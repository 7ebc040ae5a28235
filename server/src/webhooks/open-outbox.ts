import { existsSync } from 'node:fs';
import { onDemand } from '../database/on-demand.ts';
import type { DatabaseSettings } from '../database/open-database.ts';
import { ServiceError } from '../errors/service-error.ts';
import { MAX_WEBHOOKS } from '../model/limits/webhook-limits.ts';
import type { OutboxPort } from './port.ts';
import type { OpenWebhooks } from './webhooks-database.ts';

/** The webhooks of a database that is opened when it is first needed, and again after it failed to open. */
export function openOutbox(database: DatabaseSettings, limit = MAX_WEBHOOKS): OutboxPort {
  const opened = onDemand(() => open(database, limit), unavailable);
  const inDatabase = <T>(act: (outbox: OpenWebhooks['outbox']) => Promise<T>) =>
    opened.run(({ outbox }) => act(outbox));
  let added: Parameters<OutboxPort['onAdd']>[0] = () => undefined;

  return {
    async add(webhook) {
      const isNew = await inDatabase((outbox) => outbox.add(webhook));
      added(webhook);
      return isNew;
    },
    remove: (...run) => inDatabase((outbox) => outbox.remove(...run)),
    take: (...asked) => inDatabase((outbox) => outbox.take(...asked)),
    finish: (webhook) => inDatabase((outbox) => outbox.finish(webhook)),
    putBack: (...given) => inDatabase((outbox) => outbox.putBack(...given)),
    hasten: (...run) => inDatabase((outbox) => outbox.hasten(...run)),
    nextDue: () => inDatabase((outbox) => outbox.nextDue()),
    async recover() {
      // A data directory has one process, a PostgreSQL may have many.
      if (database.provider === 'sqlite') await inDatabase((outbox) => outbox.hastenAll());
    },
    onAdd: (listener) => (added = listener),
    mayHaveSome: () => database.provider === 'postgresql' || existsSync(database.path),
    close: () => opened.close(),
  };
}

/** Its modules are loaded only where a webhook is asked for. */
async function open(database: DatabaseSettings, limit: number): Promise<OpenWebhooks> {
  const { openWebhooksDatabase } = await import('./webhooks-database.ts');
  return openWebhooksDatabase(database, limit);
}

function unavailable(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('webhooks_unavailable', 'The webhooks cannot be kept.', { cause });
}
