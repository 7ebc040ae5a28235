/**
 * The thread that holds the SQLite file. SQLite is synchronous: here a slow statement, or the wait for another process,
 * stops neither requests nor runs, and it can have a time limit.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { SqliteAnswer, SqliteRequest, SqliteThreadData } from './sqlite-protocol.ts';
import { addCosineDistance } from './sqlite-vectors.ts';

const { path, busyLimitMs } = workerData as SqliteThreadData; // given by sqlite-connection.ts
let database: Database.Database | undefined;

function open(): Database.Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // For this user alone; SQLite gives the files beside it the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const opened = new Database(path, { timeout: busyLimitMs });
  try {
    opened.pragma('journal_mode = WAL');
    // A put that was acknowledged survives the loss of power.
    opened.pragma('synchronous = FULL');
    opened.pragma('foreign_keys = ON');
    addCosineDistance(opened);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

function answer(request: SqliteRequest): SqliteAnswer {
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
    const { code, message } = error as { code?: unknown; message?: unknown }; // whatever was thrown
    return { id, error: { code: String(code), message: String(message) } };
  }
}

parentPort?.on('message', (request: SqliteRequest) => {
  parentPort?.postMessage(answer(request));
});
