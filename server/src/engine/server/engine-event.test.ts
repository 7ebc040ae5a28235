import { expect, it } from 'vitest';
import { reportsFullDisk } from './engine-event.ts';

it.each([
  ['{"level":"error","error":"Commit failed. Error: database or disk is full (13)"}', true],
  // A quota: SQLITE_IOERR_WRITE.
  ['{"level":"error","error":"operation failed. Error: disk I/O error (778)"}', true],
  ['open engine.db-wal: no space left on device', true],
  // SQLITE_IOERR_READ.
  ['{"level":"error","error":"operation failed. Error: disk I/O error (266)"}', false],
  ['{"level":"error","error":"shard status unknown"}', false],
])('knows by a line of the log whether a write failed for lack of space: %s', (line, isFull) => {
  expect(reportsFullDisk(line)).toBe(isFull);
});
