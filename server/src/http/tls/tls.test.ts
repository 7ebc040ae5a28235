import { Agent, request, type RequestOptions } from 'node:https';
import { copyFileSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { connect as dial } from 'node:net';
import { connect } from 'node:tls';
import { once } from 'node:events';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, createAuthority, type Issued } from '../../../test/fixtures/authority.ts';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import { autoCertificate } from './auto-certificate.ts';
import { readCertificate } from './certificate.ts';
import { type ClientAuth, type ListenerTls, openTls, type TlsSettings } from './listener-tls.ts';

let ours: Authority;
let theirs: Authority;
let server: Issued;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  [ours, theirs] = await Promise.all([createAuthority('Ours'), createAuthority('Theirs')]);
  server = await ours.issue();
});
afterAll(() => {
  ours.close();
  theirs.close();
  rmSync(folder, { recursive: true });
});

let logged: Record<string, unknown>[] = [];
const logger = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });

let service: HttpService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
  logged = [];
});

async function start(settings: TlsSettings): Promise<ListenerTls> {
  const tls = await openTls({ ...settings, dataDir: folder, logger });
  service = await startHttpService({}, { tls });
  return tls;
}

/** The status of a request over its own connection, or the word "refused". */
function ask(options: RequestOptions = {}): Promise<number | 'refused'> {
  return new Promise((resolve) => {
    const { ca = ours.cert, ...rest } = options;
    const sent = request(`${service?.url}/live`, { ca, agent: false, ...rest }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', () => resolve('refused')).end();
  });
}

describe('client certificates', () => {
  const kinds = ['none', 'trusted', 'untrusted', 'expired', 'early', 'forServers'] as const;
  const pass = 200 as const;
  const anything = {
    none: pass,
    trusted: pass,
    untrusted: pass,
    expired: pass,
    early: pass,
    forServers: pass,
  };
  const verified = {
    untrusted: 'refused',
    expired: 'refused',
    early: 'refused',
    forServers: 'refused',
  } as const;
  const table: [ClientAuth, Record<(typeof kinds)[number], 200 | 'refused'>][] = [
    ['none', anything],
    ['request', anything],
    ['require', { ...anything, none: 'refused' }],
    ['verify_if_given', { ...anything, ...verified }],
    ['require_and_verify', { ...anything, ...verified, none: 'refused' }],
  ];

  it.each(table)('%s', async (clientAuth, expected) => {
    await start({ files: server, clientAuth, clientCaFile: ours.certFile });
    const [past, future] = [new Date(Date.now() - 1_000), new Date(Date.now() + 3_600_000)];
    const certificates = {
      none: undefined,
      trusted: await ours.issue(),
      untrusted: await theirs.issue(),
      expired: await ours.issue({ to: past }),
      early: await ours.issue({ from: future }),
      forServers: await ours.issue({ isOnlyForServers: true }),
    };
    const responses: Record<string, number | 'refused'> = {};
    for (const kind of kinds) {
      const { cert, key } = certificates[kind] ?? {};
      responses[kind] = await ask({ ...(cert && { cert }), ...(key && { key }) });
    }
    expect(responses).toEqual(expected);
    const isRefusing = Object.values(expected).includes('refused');
    expect(logged.some(({ msg }) => msg === 'client certificate refused')).toBe(isRefusing);
  });

  it('are looked at for every connection, also for one that resumes a session', async () => {
    await start({
      files: server,
      clientAuth: 'require_and_verify',
      clientCaFile: ours.certFile,
    });
    const { cert, key } = await ours.issue();
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
    expect(await ask({ agent, cert, key })).toBe(200);
    expect(await ask({ agent, cert, key })).toBe(200);
    expect(await ask({ agent })).toBe('refused');
    agent.destroy();
  });

  it('keep even a request that came with the handshake from being read', async () => {
    await start({ files: server, clientAuth: 'require' });
    const port = service?.listener.address.port ?? 0;
    const socket = connect({ port, host: '127.0.0.1', ca: ours.cert });
    socket.on('error', () => undefined).resume();
    socket.write('POST /threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
    await once(socket, 'close');
    expect(service?.logged).toEqual([]);
  });
});

describe('the certificate', () => {
  it('is that of the files, at https', async () => {
    await start({ files: server, clientAuth: 'none' });
    expect(service?.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask()).toBe(200);
    expect(await ask({ ca: theirs.cert })).toBe('refused');
  });

  it('is read again when its files change, unless they are wrong', async () => {
    const files = { certFile: join(folder, 'c.pem'), keyFile: join(folder, 'k.pem') };
    const put = ({ certFile, keyFile }: Issued, second: number): void => {
      copyFileSync(certFile, files.certFile);
      copyFileSync(keyFile, files.keyFile);
      utimesSync(files.certFile, second, second);
    };
    put(server, 1);
    const tls = await start({ files, clientAuth: 'none' });
    writeFileSync(files.certFile, 'half');
    tls.reload();
    expect(await ask()).toBe(200);
    expect(logged.at(-1)).toMatchObject({ level: 40, msg: 'changed certificates cannot be used' });
    put(await theirs.issue(), 2);
    tls.reload();
    expect(await ask()).toBe('refused');
    expect(await ask({ ca: theirs.cert })).toBe(200);
  });
});

describe('a handshake that never ends', () => {
  it('is disconnected, and does not hold up a stop', async () => {
    const tls = await openTls({ files: server, clientAuth: 'none', dataDir: folder, logger });
    service = await startHttpService({}, { tls, limits: { handshakeMs: 60 } });
    const { port } = service.listener.address;
    const silent = dial({ port, host: '127.0.0.1' })
      .on('error', () => undefined)
      .resume();
    await once(silent, 'close');
    await service.close();
    const patient = await openTls({ files: server, clientAuth: 'none', dataDir: folder, logger });
    service = await startHttpService({}, { tls: patient });
    const other = dial({ port: service.listener.address.port, host: '127.0.0.1' });
    other.on('error', () => undefined).resume();
    await once(other, 'connect');
    await service.close();
    expect(silent.destroyed).toBe(true);
  });
});

describe('an unusable certificate is refused with one sentence', () => {
  const day = (offset: number): Date => new Date(Date.now() + offset * 86_400_000);

  it('when a file cannot be read', () => {
    expect(() => readCertificate({ ...server, certFile: '/no/cert' })).toThrow(
      'api.tls.cert_file names a file that cannot be read: /no/cert',
    );
    expect(() => readCertificate({ ...server, keyFile: '/no/key' })).toThrow(
      'api.tls.key_file names a file that cannot be read: /no/key',
    );
  });

  it('when a file holds something else', () => {
    expect(() => readCertificate({ ...server, certFile: server.keyFile })).toThrow(
      /^api\.tls\.cert_file names a file without a PEM certificate: /,
    );
    expect(() => readCertificate({ ...server, keyFile: server.certFile })).toThrow(
      /^api\.tls\.key_file names a file without a PEM key that needs no password: /,
    );
  });

  it('when the key is that of another one', async () => {
    const { keyFile } = await ours.issue();
    expect(() => readCertificate({ ...server, keyFile })).toThrow(
      `The key ${keyFile} is not the key of the certificate ${server.certFile}.`,
    );
  });

  it('when it expired or is not valid yet', async () => {
    const [late, early] = await Promise.all([
      ours.issue({ from: day(-3), to: day(-1) }),
      ours.issue({ from: day(1), to: day(2) }),
    ]);
    expect(() => readCertificate(late)).toThrow(/ expired on \d{4}-\d\d-\d\d\.$/);
    expect(() => readCertificate(early)).toThrow(/ is not valid before \d{4}-\d\d-\d\d\.$/);
    expect(() => readCertificate(early)).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    );
  });
});

describe('the automatic certificate', () => {
  it('is for this machine, kept for the next start, and readable by no other user', async () => {
    const made = await autoCertificate({ dataDir: folder, logger });
    const parsed = new X509Certificate(made.cert);
    for (const name of ['localhost']) expect(parsed.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1']) expect(parsed.checkIP(address)).toBe(address);
    expect(await autoCertificate({ dataDir: folder, logger })).toEqual(made);
    const keyFile = join(folder, 'tls/auto-key.pem');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(logged).toMatchObject([
      { level: 40, msg: 'self-signed certificate, development only', sha256: expect.any(String) },
      { level: 40 },
    ]);
  });

  it('serves clients that are set to trust it', async () => {
    await start({ clientAuth: 'none' });
    const { cert: ca } = await autoCertificate({ dataDir: folder, logger });
    expect(await ask({ ca })).toBe(200);
    expect(await ask()).toBe('refused');
  });

  it('is replaced near its end, and when it is damaged', async () => {
    const made = await autoCertificate({ dataDir: folder, logger });
    const later = new Date(Date.now() + 80 * 86_400_000);
    const renewed = await autoCertificate({ dataDir: folder, logger, now: later });
    expect(renewed).not.toEqual(made);
    writeFileSync(join(folder, 'tls/auto-key.pem'), 'half');
    expect(await autoCertificate({ dataDir: folder, logger, now: later })).not.toEqual(renewed);
  });
});
