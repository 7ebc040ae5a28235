/**
 * The worker thread that holds the SQLite file. SQLite is synchronous: on this thread a slow statement, or the wait for
 * another process, blocks neither requests nor runs, and can have a time limit.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { SqliteResponse, SqliteRequest, SqliteThreadData } from './sqlite-protocol.ts';
import { addCosineDistance } from './sqlite-vectors.ts';

const { path, busyLimitMs } = workerData as SqliteThreadData; // given by sqlite-connection.ts
let database: Database.Database | undefined;

function open(): Database.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Readable by this user only; SQLite gives its companion files the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const opened = new Database(path, { timeout: busyLimitMs });
  try {
    opened.pragma('journal_mode = WAL');
    // An acknowledged put survives a loss of power.
    opened.pragma('synchronous = FULL');
    opened.pragma('foreign_keys = ON');
    addCosineDistance(opened);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function execute(request: SqliteRequest): SqliteResponse {
  const { id } = request;
  if ('close' in request) {
    database?.close();
    return { id, rows: [] };
  }
  try {
    database ??= open();
    const statement = database.prepare(request.sql);
    if (statement.reader) return { id, rows: statement.all(...request.parameters) };
    return { id, rows: [], changes: statement.run(...request.parameters).changes };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }; // any value can be thrown
    return { id, error: { code: String(code), message: String(message) } };
  }
}

parentPort?.on('message', (request: SqliteRequest) => {
  parentPort?.postMessage(execute(request));
});
