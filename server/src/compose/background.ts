import { join } from 'node:path';
import type { ServiceConfig } from '../config/service-config.ts';
import { openCrons } from '../crons/open-crons.ts';
import type { CronsPort } from '../crons/port.ts';
import { CronScheduler, type FireCron } from '../crons/scheduler.ts';
import type { DatabaseSettings } from '../database/open-database.ts';
import type { Engine } from '../engine/engine.ts';
import type { RunId } from '../model/ids.ts';
import { isSettled } from '../model/run/run.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { postgresOptions } from '../store/postgres-options.ts';
import { version } from '../version.ts';
import { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import { openOutbox } from '../webhooks/open-outbox.ts';
import type { OutboxPort, SenderPort, Webhook } from '../webhooks/port.ts';
import { createSender } from '../webhooks/sender.ts';

/** How runs are made and shown. */
interface Runs {
  fireCron: FireCron;
  webhookBody(webhook: Webhook): Promise<string>;
}

/** What the service does without a request: it makes the runs of crons, and sends webhooks. */
export interface Background {
  crons: CronsPort;
  webhooks: { outbox: OutboxPort; sender: SenderPort };
  /** A run has ended here. */
  settled(runId: RunId): void;
  /** Makes what was due while there was no service, and takes up what was not sent. */
  begin(runs: Runs, engine: Engine): void;
  /** Makes no further runs. */
  stopStarting(): Promise<void>;
  close(): Promise<void>;
}

/** Opens nothing yet: databases are opened when something is in them, or comes. */
export function openBackground(
  config: Pick<ServiceConfig, 'store' | 'dataDir' | 'webhooks'>,
  { metrics, logger }: { metrics: Metrics; logger: Logger },
): Background {
  const crons = openCrons(databaseOf(config, 'crons.db'));
  const outbox = openOutbox(databaseOf(config, 'webhooks.db'));
  const sender = createSender({ ...config.webhooks, userAgent: `agent-runtime/${version}` });
  let scheduler: CronScheduler | undefined;
  let dispatcher: WebhookDispatcher | undefined;
  return {
    crons,
    webhooks: { outbox, sender },
    settled: (runId) => dispatcher?.settled(runId),
    begin({ fireCron, webhookBody }, engine) {
      scheduler = new CronScheduler({
        ...{ crons, fire: fireCron, firings: metrics.cronFirings, logger },
      });
      scheduler.wake();
      dispatcher = new WebhookDispatcher({
        ...{ outbox, sender, bodyOf: webhookBody, tries: metrics.webhookTries, logger },
        async hasEnded({ threadId, runUuid }) {
          return isSettled((await engine.runs.read(threadId, runUuid)).status);
        },
      });
      void dispatcher.start();
    },
    stopStarting: async () => scheduler?.close(),
    async close() {
      await Promise.all([scheduler?.close(), dispatcher?.close()]);
      await Promise.all([crons.close(), outbox.close()]);
    },
  };
}

/**
 * Each has a file of its own: SQLite has one writer, and a connection would wait for another one of this thread for as
 * long as it may.
 */
function databaseOf(
  { store, dataDir }: Pick<ServiceConfig, 'store' | 'dataDir'>,
  file: string,
): DatabaseSettings {
  if (store?.provider === 'postgresql') {
    return { provider: 'postgresql', options: postgresOptions(store) };
  }
  return { provider: 'sqlite', path: join(dataDir, file) };
}
