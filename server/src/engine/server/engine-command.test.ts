import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dynamicDefaults } from './engine-command.ts';

test('the CLI gets exactly the values that the embedded engine has built in', () => {
  const source = readFileSync(
    new URL('../../../native/engine/internal/server/dynamic_config.go', import.meta.url),
    'utf8',
  );
  const builtIn = [...source.matchAll(/^\t"(\w+\.[\w.]+)":\s+(true|false|[\d_]+),$/gm)].map(
    ([, key, value]): [string, unknown] => [
      key ?? '',
      JSON.parse((value ?? '').replaceAll('_', '')),
    ],
  );
  expect(Object.fromEntries(builtIn)).toEqual(dynamicDefaults);
});
