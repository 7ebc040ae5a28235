/** The service over TLS and tokens, in separate processes: what is set reaches the service only at a start. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { createAuthority, type Authority, type Issued } from '../fixtures/authority.ts';
import { callTls } from '../fixtures/call-tls.ts';
import { startTlsFront, type EngineFront } from '../fixtures/engine-front.ts';
import { startTestIssuer } from '../fixtures/issuer.ts';
import { spawnService, startService, type ServiceProcess } from '../fixtures/start-service.ts';

const agents = fileURLToPath(new URL('../fixtures/cli-agents', import.meta.url));

/** A connection that is closed at the end of its handshake. */
const cutOff = /ECONNRESET|socket hang up|disconnected|EPIPE/;

let authority: Authority;
let server: Issued;
let client: Issued;
let front: EngineFront;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'transport-'));
  authority = await createAuthority('Ours');
  [server, client] = await Promise.all([authority.issue(), authority.issue()]);
  front = await startTlsFront({
    engine: inject('engine'),
    server,
    clientCa: authority.cert,
  });
});
afterAll(async () => {
  await front.close();
  authority.close();
  await rm(dataDir, { recursive: true, force: true });
});

let service: ServiceProcess | undefined;
afterEach(async () => {
  await service?.kill();
  service = undefined;
});

it('runs an agent over mutual TLS with OIDC, on a cluster that wants a client certificate', async () => {
  const issuer = await startTestIssuer();
  try {
    service = await startService({
      agents,
      dataDir,
      flags: [
        `--temporal-target=${front.address}`,
        `--temporal-mtls-ca-file=${authority.certFile}`,
        `--temporal-mtls-cert-file=${client.certFile}`,
        `--engine-mtls-key-data=${Buffer.from(client.key).toString('base64')}`,
        '--engine-auth-type=mtls',
        '--temporal-server-name=localhost',
        '--temporal-task-queue=transport',
      ],
      environment: {
        SERVICE_API_TLS_ENABLED: 'true',
        SERVICE_API_TLS_CERT_FILE: server.certFile,
        SERVICE_API_TLS_KEY_FILE: server.keyFile,
        SERVICE_API_TLS_CLIENT_AUTH: 'require_and_verify',
        SERVICE_API_TLS_CLIENT_CA_FILE: authority.certFile,
        SERVICE_API_AUTH_ENABLED: 'true',
        SERVICE_API_AUTH_OIDC_ISSUER: issuer.url,
        SERVICE_API_AUTH_OIDC_AUDIENCE: issuer.audience,
      },
    });
    expect(service.url).toMatch(/^https:/);
    const { cert, key } = client;
    const ours = { ca: authority.cert, cert, key };
    const headers = { authorization: `Bearer ${await issuer.token()}` };
    const run = { method: 'POST', body: { input: { ms: 1 } } };
    const url = `${service.url}/runs/wait`;
    expect(await callTls(url, { ...ours, ...run, headers })).toMatchObject({
      status: 200,
      body: { status: 'completed', output: { slept: true } },
    });
    expect(await callTls(url, { ...ours, ...run })).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    });
    await expect(callTls(url, { ca: authority.cert, ...run, headers })).rejects.toThrow(cutOff);
    expect(await service.stop()).toBe(0);
  } finally {
    await issuer.close();
  }
});

it(
  'makes its own certificate, and takes principals from the header in test mode',
  { tags: 'release' },
  async () => {
    service = await startService({
      agents,
      dataDir,
      environment: {
        SERVICE_API_TLS_ENABLED: 'true',
        SERVICE_API_TLS_AUTO_CERT: 'true',
        SERVICE_API_TLS_CLIENT_AUTH: 'verify_if_given',
        SERVICE_API_TLS_CLIENT_CA_FILE: authority.certFile,
        SERVICE_API_AUTH_TEST_MODE: 'true',
      },
    });
    const ca = await readFile(join(dataDir, 'tls/auto-cert.pem'), 'utf8');
    const url = `${service.url}/threads`;
    const as = (header: string) => ({
      method: 'POST',
      ca,
      headers: { 'x-test-principal': header },
    });
    expect(await callTls(url, { ca, method: 'POST' })).toMatchObject({ status: 201 });
    expect(await callTls(url, as('{"sub":"ada","mroles":["r"]}'))).toMatchObject({ status: 201 });
    expect(await callTls(url, as('ada'))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    const foreign = await createAuthority('Theirs');
    const { cert, key } = await foreign.issue();
    foreign.close();
    await expect(callTls(url, { ca, cert, key, method: 'POST' })).rejects.toThrow(cutOff);
    await service.printed(/Warning: api\.auth\.test_mode lets every caller choose who it is/);
    await service.printed(/WARN {2}self-signed certificate, development only/);
    await service.printed(/WARN {2}roles of X-Test-Principal are left out/);
    expect(await service.stop()).toBe(0);
  },
);

it('ends with exit code 2 and one sentence for a cluster of another authority', async () => {
  const flags = [`--temporal-target=${front.address}`, '--temporal-server-name=localhost'];
  const location = [`--data-dir=${dataDir}`, '--api-addr=127.0.0.1:0'];
  const child = spawnService(agents, [...location, ...flags]);
  let text = '';
  child.stderr.on('data', (bytes) => (text += String(bytes)));
  child.stdout.resume();
  try {
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(text).toMatch(
      /^Error: The engine at \S+ cannot be used: its certificate comes from no authority/m,
    );
  } finally {
    child.kill('SIGKILL');
  }
});
