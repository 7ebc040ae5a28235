/**
 * What another user of the machine reaches of the engine: Temporal's own client on every port of its process. Its own
 * service, whose process, files and output are looked through.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { credentials, status as GrpcStatus } from '@grpc/grpc-js';
import { Connection, isGrpcServiceError, type ConnectionOptions } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceProcesses } from '../bench/processes.ts';
import { createAuthority, type Issued } from '../fixtures/authority.ts';
import { call } from '../fixtures/call.ts';
import { listeningPorts } from '../fixtures/listening-ports.ts';
import { startService, type ServiceProcess } from '../fixtures/start-service.ts';

const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));
const CALL_MS = 10_000;
const namespace = 'default';
const taskToken = Buffer.from('forged');

let service: ServiceProcess;
let engine: number;
let ports: number[];
let theirs: Issued;
beforeAll(async () => {
  service = await startService({ agents, environment: { SERVICE_LOG_LEVEL: 'debug' } });
  engine = serviceProcesses(service.pid).find(({ name }) => name === 'engine')?.pid ?? 0;
  ports = listeningPorts(engine);
  const authority = await createAuthority('Theirs');
  theirs = await authority.issue();
  authority.close();
});
afterAll(() => service.stop());

const attacks: Record<string, (connection: Connection) => Promise<unknown>> = {
  StartWorkflowExecution: ({ workflowService }) =>
    workflowService.startWorkflowExecution({
      namespace,
      workflowId: randomUUID(),
      requestId: randomUUID(),
      workflowType: { name: 'thread' },
      taskQueue: { name: 'forged' },
    }),
  ListNamespaces: ({ workflowService }) => workflowService.listNamespaces({}),
  DescribeTaskQueue: ({ workflowService }) =>
    workflowService.describeTaskQueue({ namespace, taskQueue: { name: 'forged' } }),
  PollActivityTaskQueue: ({ workflowService }) =>
    workflowService.pollActivityTaskQueue({ namespace, taskQueue: { name: 'forged' } }),
  RespondWorkflowTaskCompleted: ({ workflowService }) =>
    workflowService.respondWorkflowTaskCompleted({ namespace, taskToken }),
  RespondActivityTaskCompleted: ({ workflowService }) =>
    workflowService.respondActivityTaskCompleted({ namespace, taskToken }),
  ListSearchAttributes: ({ operatorService }) =>
    operatorService.listSearchAttributes({ namespace }),
  HealthCheck: ({ healthService }) => healthService.check({}),
};

/** How each attack ends: a status of the engine's own would come from behind its door. */
async function outcomes(port: number, options: Partial<ConnectionOptions>) {
  // Without the SDK's retries, which would hide the first refusal.
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    interceptors: [],
    ...options,
  });
  try {
    const ended = Object.entries(attacks).map(async ([name, attack]) => {
      const response = connection.withDeadline(Date.now() + CALL_MS, () => attack(connection));
      const status = await response.then(
        () => 'OK',
        (error: unknown) => (isGrpcServiceError(error) ? GrpcStatus[error.code] : String(error)),
      );
      return [name, status];
    });
    return Object.fromEntries(await Promise.all(ended)) as Record<string, string>;
  } finally {
    await connection.close();
  }
}

/** TLS to any server: an attacker does not care which one the engine is. */
function blindly(own?: Issued): Pick<ConnectionOptions, 'credentials' | 'channelArgs'> {
  const [key, cert] = own ? [Buffer.from(own.key), Buffer.from(own.cert)] : [null, null];
  const transport = credentials.createSsl(null, key, cert, { rejectUnauthorized: false });
  return { credentials: transport, channelArgs: { 'grpc.ssl_target_name_override': 'engine' } };
}

const noConnection = Object.fromEntries(Object.keys(attacks).map((name) => [name, 'UNAVAILABLE']));

it('listens on one port', () => {
  expect(ports).toEqual([expect.any(Number)]);
});

describe('every port refuses', () => {
  it.each([
    ['a client without credentials', () => ({})],
    ['a forged key', () => ({ metadata: { authorization: 'Bearer forged' } })],
    ['TLS without a certificate', () => blindly()],
    ['a certificate of another authority', () => blindly(theirs)],
  ])('%s', async (_, options) => {
    for (const port of ports) expect(await outcomes(port, options())).toEqual(noConnection);
  });
});

it('serves its service all the while, also after it was killed', async () => {
  const run = () => call(`${service.url}/runs/wait`, 'POST', { input: { ms: 1 } });
  const completed = { status: 200, body: { status: 'completed' } };
  expect(await run()).toMatchObject(completed);
  process.kill(engine, 'SIGKILL');
  expect(await run()).toMatchObject(completed);
});

it('has its secret on no command line, in no environment, file or log', () => {
  const pids = serviceProcesses(service.pid).map(({ pid }) => pid);
  const processes = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files).toContain(join(service.dataDir, 'engine.db'));
  const leaks = [...processes, ...files].filter((file) =>
    readFileSync(file, 'latin1').includes('PRIVATE KEY'),
  );
  expect([leaks, service.output().includes('PRIVATE KEY')]).toEqual([[], false]);
});

it('is named to no client of the service', async () => {
  const { body } = await call(`${service.url}/info`);
  expect(body).toMatchObject({ engine: { namespace } });
  const text = JSON.stringify(body);
  expect(ports.filter((port) => text.includes(`:${port}`))).toEqual([]);
  expect(text).not.toContain('agent-runtime-');
});
