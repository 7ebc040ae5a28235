// `npm run build:native`: builds the Go programs (the embedded engine, the policy evaluator, the program for images) into
// .cache/native, unless the same sources were built before. `-- policy`, `-- engine` or `-- images` builds one of them,
// `-- runsc` gVisor's for the tests.
import path from 'node:path';
import { buildEngine } from '../server/src/engine/server/build-engine.ts';
import { isServiceError } from '../server/src/errors/service-error.ts';
import { buildImages } from '../server/src/images/find-program.ts';
import { GoBuildError } from '../server/src/native/build-go.ts';
import { buildEvaluator } from '../server/src/policy/rego/build-evaluator.ts';
import { buildRunsc } from './build-runsc.ts';

const programs = {
  engine: buildEngine,
  policy: buildEvaluator,
  images: buildImages,
  runsc: buildRunsc,
};
/** Only when it is named: nothing of ours needs it to run. */
const onlyNamed = new Set(['runsc']);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

try {
  const words = process.argv.slice(2);
  for (const [name, build] of Object.entries(programs)) {
    const isWanted = words.length > 0 ? words.includes(name) : !onlyNamed.has(name);
    if (!isWanted) continue;
    const built = await build({
      checkout: path.resolve(import.meta.dirname, '..'),
      signal: interrupted.signal,
      onProgress: (message) => console.error(`build:native: ${message}`),
    });
    console.log(built);
  }
} catch (error) {
  const isKnown = isServiceError(error) || error instanceof GoBuildError;
  if (!isKnown && !interrupted.signal.aborted) throw error;
  console.error(`build:native: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
