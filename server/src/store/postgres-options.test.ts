import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOptions, type PostgresSettings } from './postgres-options.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-options-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How strict the driver would be. */
function strictness(connectionString: string, rest: Partial<PostgresSettings> = {}): string {
  const { ssl } = postgresOptions({ connectionString, ...rest });
  if (ssl === false) return 'disable';
  if (ssl.rejectUnauthorized === false) return 'require';
  const subject = { CN: 'another', C: '', ST: '', L: '', O: '', OU: '' };
  // As much of a certificate as the check of its name looks at.
  const certificate = { subject } as unknown as Parameters<
    NonNullable<typeof ssl.checkServerIdentity>
  >[1];
  return ssl.checkServerIdentity?.('another', certificate) ? 'verify-full' : 'verify-ca';
}

describe('TLS', () => {
  it.each([
    ['postgres://u:p@localhost/db', 'disable'],
    ['postgres://u:p@127.0.0.1:5433/db', 'disable'],
    ['postgres://u:p@[::1]/db', 'disable'],
    ['postgresql:///db?host=/var/run/postgresql', 'disable'],
    ['postgres://u:p@db.example/db', 'verify-full'],
    ['postgres://u:p@192.0.2.1/db', 'verify-full'],
    ['postgres://u:p@localhost/db?host=db.example', 'verify-full'],
  ])('without a mode: %s is %s', (connectionString, mode) => {
    expect(strictness(connectionString)).toBe(mode);
  });

  it.each(['disable', 'require', 'verify-ca', 'verify-full'] as const)('can be %s', (tlsMode) => {
    expect(strictness('postgres://u@localhost/db', { tlsMode })).toBe(tlsMode);
    expect(strictness(`postgres://u@db.example/db?sslmode=${tlsMode}`)).toBe(tlsMode);
    const other = 'postgres://u@db.example/db?sslmode=disable&ssl=true';
    expect(strictness(other, { tlsMode })).toBe(tlsMode);
  });

  it('is not left to the driver', () => {
    const uri =
      'postgres://u:p%40ss@db.example/d?sslmode=require&uselibpqcompat=true&options=-c%20a';
    expect(postgresOptions({ connectionString: uri }).connectionString).toBe(
      'postgres://u:p%40ss@db.example/d?options=-c+a',
    );
  });

  it('takes the files that are named', () => {
    const file = join(folder, 'ca.pem');
    writeFileSync(file, 'PEM');
    const { ssl } = postgresOptions({ connectionString: 'postgres://db.example', tlsCaFile: file });
    expect(ssl).toMatchObject({ ca: 'PEM', rejectUnauthorized: true });
    const uri = `postgres://db.example?sslrootcert=${file}&sslcert=${file}&sslkey=${file}`;
    expect(postgresOptions({ connectionString: uri }).ssl).toMatchObject({
      ca: 'PEM',
      cert: 'PEM',
      key: 'PEM',
    });
  });
});

describe('what cannot mean a server', () => {
  it.each([
    ['host=localhost password=secret', /takes a URI such as/],
    ['mysql://u:secret@localhost/db', /takes a URI such as/],
    ['postgres://u:secret@localhost/db?sslmode=prefer', /sslmode=prefer; known are disable/],
    ['postgres://u:secret@db.example/db?sslrootcert=/nowhere.pem', /cannot be read: \/nowhere.pem/],
  ])('%s is refused without its password', (connectionString, sentence) => {
    const attempt = () => postgresOptions({ connectionString });
    expect(attempt).toThrow(sentence);
    expect(attempt).not.toThrow(/secret/);
  });
});
