import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { call } from '../fixtures/call.ts';
import { compatClient } from '../fixtures/compat-client.ts';
import { sharedService } from '../fixtures/shared-service.ts';

const url = sharedService();

it.each(['py', 'ts'])('an agent (%s) and the API see the same items', async (language) => {
  const space = randomUUID();
  const item = { value: { n: 5, text: 'ü' }, metadata: { m: 1 } };
  const given = await call(`${url}/store/items?namespace=${space}&key=given`, 'PUT', item);
  expect(given.status).toBe(204);

  const body = { agent_id: `keeper_${language}`, input: { space } };
  const run = await call(`${url}/runs/wait`, 'POST', body);
  expect(run.body).toMatchObject({
    status: 'completed',
    output: { report: { given: item.value, found: ['given', 'made'], scores: [null, null] } },
  });

  const found = await call(`${url}/store/items/search`, 'POST', { namespace: [space] });
  expect(found.body).toMatchObject({
    items: [
      { namespace: [space], key: 'given', ...item },
      { namespace: [space, 'new'], key: 'made', value: { by: language, n: 7 }, metadata: {} },
    ],
  });
  const health = await call(`${url}/health`);
  expect(health.body).toMatchObject({ components: { store: { status: 'ok' } } });
});

it('a factory has the store for runs, and for reads and changes of the state', async () => {
  const word = { n: 5 };
  await call(`${url}/store/items?namespace=builder&key=word`, 'PUT', { value: word });
  const client = compatClient();
  const { thread_id: threadId } = await client.threads.create();
  const values = await client.runs.wait(threadId, 'builder_py', { input: { space: 'a' } });
  expect(values).toEqual({ space: 'a', seen: ['threads.create_run', word] });
  expect(await client.threads.getState(threadId)).toMatchObject({ values });
  await client.threads.updateState(threadId, { values: { space: 'b' } });
  expect(await client.threads.getState(threadId)).toMatchObject({ values: { space: 'b' } });
});
