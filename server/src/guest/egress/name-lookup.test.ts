// Starts name servers on loopback; one of them never responds.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { nameLookup, type NameLookupOptions } from './name-lookup.ts';

/** No lookup here takes as long. */
const LONG_MS = 3_600_000;

/** Otherwise the cause is ETIMEOUT: the name server has been waited for, twice. */
const cancelled = { code: 'EAI_AGAIN', cause: { code: 'ECANCELLED' } };

/** A name server that knows these names; `undefined` never responds. */
async function nameServer(known: Record<string, string> | undefined) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.').toLowerCase();
    asked.push(name);
    if (!known) return;
    const found = question.readUInt16BE(at + 1) === 1 ? known[name] : undefined;
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(name in known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(found === undefined ? 0 : 1, 6);
    header.fill(0, 8, 12);
    const response = [
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      9,
      0,
      4,
      ...(found ?? '').split('.').map(Number),
    ];
    const parts = [header, question.subarray(12, at + 5), Buffer.from(found ? response : [])];
    socket.send(Buffer.concat(parts), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] };
}

function files(hosts: string, resolv: string): Pick<NameLookupOptions, 'hostsFile' | 'resolvConf'> {
  const folder = mkdtempSync(path.join(tmpdir(), 'names-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'hosts'), hosts);
  writeFileSync(path.join(folder, 'resolv'), resolv);
  return { hostsFile: path.join(folder, 'hosts'), resolvConf: path.join(folder, 'resolv') };
}

it('a name server that does not respond holds up nothing else in the process', async () => {
  const { asked, servers } = await nameServer(undefined);
  const resolve = nameLookup({ servers, ...files('', ''), limitMs: LONG_MS });
  const gone = new AbortController();
  let ended = 0;
  const waiting = Array.from({ length: 32 }, (_, at) =>
    resolve(`x${at}.example`, gone.signal)
      .catch((error: unknown) => error)
      .finally(() => (ended += 1)),
  );
  // They are under way by now, far more than libuv has threads.
  await expect.poll(() => new Set(asked).size).toBe(32);
  await lookup('localhost');
  await readFile('/etc/hosts');
  expect(ended).toBe(0);
  gone.abort();
  for (const one of await Promise.all(waiting)) expect(one).toMatchObject(cancelled);
});

it.each([
  ['given up', LONG_MS],
  ['not over within its limit', 50],
])('a lookup that is %s is cancelled', async (_, limitMs) => {
  const { asked, servers } = await nameServer(undefined);
  const gone = new AbortController();
  const resolve = nameLookup({ servers, ...files('', ''), limitMs });
  const waiting = resolve('x.example', gone.signal).catch((error: unknown) => error);
  await expect.poll(() => asked).toContain('x.example');
  if (limitMs === LONG_MS) gone.abort();
  expect(await waiting).toMatchObject(cancelled);
});

it('has the results of the name servers', async () => {
  const { servers } = await nameServer({ 'a.example': '93.184.216.34' });
  const resolve = nameLookup({ servers, ...files('', '') });
  expect(await resolve('a.example')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  await expect(resolve('b.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

it('looks into the hosts file first, and for short names into the search domains', async () => {
  const { asked, servers } = await nameServer({ 'db.corp.example': '10.0.0.7' });
  const config = files(
    '127.0.1.1 box # this one\n::1 box',
    'search corp.example\noptions ndots:1\n',
  );
  const resolve = nameLookup({ servers, ...config });
  expect(await resolve('box')).toEqual([
    { address: '127.0.1.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect(asked).toEqual([]);
  expect(await resolve('db')).toEqual([{ address: '10.0.0.7', family: 4 }]);
});
