/** How engines are reached that want to know us, or that are not ours: fronts before the engine of the suite, and namespaces of it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EngineAuth } from '../../src/config/engine-auth.ts';
import { connectEngine } from '../../src/engine/client/connection.ts';
import { checkForeignCluster } from '../../src/engine/client/foreign-cluster.ts';
import { createAuthority, type Authority, type Issued } from '../fixtures/authority.ts';
import { startKeyFront, startTlsFront, type EngineFront } from '../fixtures/engine-front.ts';
import { openEngineLab, type EngineLab } from '../fixtures/engine-lab.ts';

let lab: EngineLab;
let ours: Authority;
let theirs: Authority;
let server: Issued;
let client: Issued;
beforeAll(async () => {
  [lab, ours, theirs] = await Promise.all([
    openEngineLab(inject('engine'), 'engine-auth'),
    createAuthority('Ours'),
    createAuthority('Theirs'),
  ]);
  [server, client] = await Promise.all([ours.issue({ names: ['engine.example'] }), ours.issue()]);
});
afterAll(async () => {
  await lab.close();
  ours.close();
  theirs.close();
});

let front: EngineFront | undefined;
afterEach(() => front?.close());

/** What both connections get: the number of the namespaces of the engine behind the front. */
async function reach(auth?: EngineAuth, connectTimeoutMs?: number): Promise<[string, string]> {
  const namespace = 'default';
  const { address } = front ?? { address: '' };
  const connection = await connectEngine({
    address,
    namespace,
    identity: 'test',
    isForeign: true,
    ...(auth && { auth }),
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
  });
  try {
    const { client: both, starter } = connection;
    const asked = [both, starter].map((one) =>
      one.workflowService.describeNamespace({ namespace }),
    );
    const [left, right] = await Promise.all(asked);
    return [left?.namespaceInfo?.name ?? '', right?.namespaceInfo?.name ?? ''];
  } finally {
    await connection.close();
  }
}

async function refusal(
  ...how: Parameters<typeof reach>
): Promise<{ code: unknown; message: string }> {
  const error: unknown = await reach(...how).catch((thrown: unknown) => thrown);
  const { code, message } = error as { code?: unknown; message: string };
  return { code, message: message.replace(/127\.0\.0\.1:\d+/, 'ADDRESS') };
}

const names = { serverName: 'engine.example' };
const both: [string, string] = ['default', 'default'];
const refused = (reason: string) => ({
  code: 'config_invalid',
  message: `The engine at ADDRESS ${reason}`,
});

describe('an engine behind TLS', () => {
  it('is reached by its authority and its name, by both connections', async () => {
    front = await startTlsFront({ engine: lab.engine, server });
    expect(await reach({ tls: { ca: ours.cert, ...names } })).toEqual(both);
  });

  it('is refused when its certificate is of another authority', async () => {
    front = await startTlsFront({ engine: lab.engine, server });
    const untrusted = refused(
      'cannot be used: its certificate comes from no authority that is trusted here; engine.auth.mtls.ca_file names one.',
    );
    expect(await refusal({ tls: { ca: theirs.cert, ...names } })).toEqual(untrusted);
    expect(await refusal({ tls: { ...names } })).toEqual(untrusted);
  });

  it('is refused when its certificate is for another name', async () => {
    front = await startTlsFront({ engine: lab.engine, server });
    const otherName = refused(
      'cannot be used: its certificate is for another name; engine.auth.mtls.server_name names the expected one.',
    );
    expect(await refusal({ tls: { ca: ours.cert } })).toEqual(otherName);
    expect(await refusal({ tls: { ca: ours.cert, serverName: 'other.example' } })).toEqual(
      otherName,
    );
  });

  it('is not mistaken for one without TLS', async () => {
    const plain = createHttp2Server().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo; // a TCP listener always has one
    front = {
      address: `127.0.0.1:${port}`,
      agents: new Set(),
      close: async () => void plain.close(),
    };
    expect(await refusal({ tls: { ca: ours.cert } })).toEqual(
      refused('cannot be used: it does not speak TLS.'),
    );
  });

  it('that is not running is reported as such', async () => {
    front = await startTlsFront({ engine: lab.engine, server });
    await front.close();
    expect(await refusal({ tls: { ca: ours.cert, ...names } }, 200)).toEqual({
      code: 'engine_unavailable',
      message: 'The engine at ADDRESS cannot be reached.',
    });
    front = undefined;
  });
});

describe('an engine that wants client certificates', () => {
  const noClient = refused(
    'cannot be used: it does not accept our client certificate, or misses one: engine.auth.mtls.cert_file and key_file.',
  );

  it('takes ours, on both connections', async () => {
    front = await startTlsFront({ engine: lab.engine, server, clientCa: ours.cert });
    expect(await reach({ tls: { ca: ours.cert, client, ...names } })).toEqual(both);
  });

  it('does not do without, nor take one of another authority', async () => {
    front = await startTlsFront({ engine: lab.engine, server, clientCa: ours.cert });
    expect(await refusal({ tls: { ca: ours.cert, ...names } })).toEqual(noClient);
    const foreign = await theirs.issue();
    expect(await refusal({ tls: { ca: ours.cert, client: foreign, ...names } })).toEqual(noClient);
  });
});

describe('an engine that wants an API key', () => {
  const tls = { ...names };

  it('gets it from both connections', async () => {
    front = await startKeyFront({ engine: lab.engine, server, apiKey: 'sesame' });
    expect(await reach({ apiKey: 'sesame', tls: { ca: ours.cert, ...tls } })).toEqual(both);
    expect([...front.agents].sort()).toEqual(['grpc-node-js', 'tonic']);
  });

  it('does not take another one', async () => {
    front = await startKeyFront({ engine: lab.engine, server, apiKey: 'sesame' });
    const outcome = await refusal({ apiKey: 'wrong', tls: { ca: ours.cert, ...tls } });
    expect(outcome).toEqual(
      refused('refuses the credentials; engine.auth.api_key is wrong or missing.'),
    );
    expect(await refusal({ tls: { ca: ours.cert, ...tls } })).toEqual(outcome);
  });
});

describe('a cluster that is not ours', () => {
  const DAY_S = 86_400;
  /** The engine's number of each type. */
  const attributes = { ThreadStatus: 2, Ephemeral: 5, ThreadMeta: 7, RunStatus: 2, RunAgent: 2 };

  /** A new namespace, once the engine knows it and these attributes of it. */
  async function namespaceWith(names: readonly (keyof typeof attributes)[]) {
    const namespace = `foreign-${randomUUID()}`;
    const { client: api } = lab.connection;
    await api.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: DAY_S as never }, // a Long, which takes numbers
    });
    const searchAttributes = Object.fromEntries(names.map((name) => [name, attributes[name]]));
    const service = api.connection.operatorService;
    await expect
      .poll(
        async () => {
          // Also the namespace itself is known a while after it was made.
          await service.addSearchAttributes({ namespace, searchAttributes });
          const { customAttributes } = await service.listSearchAttributes({ namespace });
          return Object.keys(customAttributes);
        },
        { timeout: 60_000 },
      )
      .toEqual(expect.arrayContaining([...names]));
    return { ...lab.connection, namespace };
  }

  it('is taken as it is when nothing is missing', async () => {
    expect(await checkForeignCluster(lab.connection)).toEqual([]);
  });

  it('reports which search attributes are missing, by the command that makes them', async () => {
    const connection = await namespaceWith(['ThreadStatus', 'Ephemeral']);
    const { namespace } = connection;
    await expect(checkForeignCluster(connection)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(
        `The namespace ${namespace} lacks search attributes; temporal operator search-attribute create --namespace ${namespace} --name ThreadMeta --type KeywordList --name RunStatus --type Keyword --name RunAgent --type Keyword`,
      ),
    });
  });

  it('reports which namespace is missing', async () => {
    const connection = { ...lab.connection, namespace: 'nowhere' };
    await expect(checkForeignCluster(connection)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(
        'The engine has no namespace nowhere; temporal operator namespace create --namespace nowhere --retention 72h',
      ),
    });
  });

  it('is taken with a warning about what it loses', async () => {
    const connection = await namespaceWith([
      'ThreadStatus',
      'Ephemeral',
      'ThreadMeta',
      'RunStatus',
      'RunAgent',
    ]);
    const { namespace } = connection;
    expect(await checkForeignCluster(connection)).toEqual([
      `The namespace ${namespace} keeps ended threads for 24 h only; temporal operator namespace update --namespace ${namespace} --retention 72h`,
    ]);
  });
});
