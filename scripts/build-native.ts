// `npm run build:native`: builds the embedded engine into .cache/native, unless the same sources were built before.
import path from 'node:path';
import { buildEngine } from '../server/src/engine/server/build-engine.ts';
import { isServiceError } from '../server/src/errors/service-error.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

try {
  const engine = await buildEngine({
    checkout: path.resolve(import.meta.dirname, '..'),
    signal: interrupted.signal,
    onProgress: (message) => console.error(`build:native: ${message}`),
  });
  console.log(engine);
} catch (error) {
  if (!isServiceError(error) && !interrupted.signal.aborted) throw error;
  console.error(`build:native: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
