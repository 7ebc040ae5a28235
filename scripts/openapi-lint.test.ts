import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const document = file('../server/openapi.json');
const LIMIT_MS = 120_000;

// Each exits with another code than 0 when it finds an error; what it printed is in the failure.
it.each([
  ['redocly', ['lint', document]],
  ['spectral', ['lint', '--fail-severity=warn', '--ruleset', file('spectral.yaml'), document]],
])('the OpenAPI document passes %s', { timeout: LIMIT_MS }, async (tool, args) => {
  const environment = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  const { stdout, stderr } = await run(file(`../node_modules/.bin/${tool}`), args, {
    env: environment,
    timeout: LIMIT_MS,
  });
  expect(stdout + stderr).toMatch(/is valid|No results with a severity/);
});
