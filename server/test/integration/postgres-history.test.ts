/** A PostgreSQL server of its own: what the run history, assistants, crons and webhooks do with a real one. */
// @needs postgresql
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresOptions } from '../../src/store/postgres-options.ts';
import { describeAssistants } from '../conformance/assistants.ts';
import { describeCrons } from '../conformance/crons.ts';
import { describeRunHistory } from '../conformance/run-history.ts';
import { describeOutbox } from '../conformance/webhooks.ts';
import {
  missingPostgres,
  type PostgresServer,
  startPostgresServer,
} from '../fixtures/postgres-server.ts';

describe('on PostgreSQL', () => {
  const missing = missingPostgres();
  if (missing !== undefined) {
    // oxlint-disable-next-line vitest/expect-expect -- it reports why the others are missing
    it('needs PostgreSQL', (context) => context.skip(missing));
    return;
  }
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server.close());

  const made = async () => {
    const connectionString = await server.database();
    return {
      database: {
        provider: 'postgresql' as const,
        options: postgresOptions({ connectionString }),
      },
      remove: () => Promise.resolve(),
    };
  };
  describeAssistants('assistants', made);
  describeCrons('crons', made);
  describeOutbox('webhooks', made);
  describeRunHistory('the run history', made);
});
