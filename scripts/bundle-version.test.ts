import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { BUNDLE_VERSION } from '../server/src/bundle/bundle-record.ts';

// The studio may import nothing of the server, and would refuse every bundle that a newer server writes.
it('the studio reads bundles of the version that the server writes', () => {
  const file = path.join(import.meta.dirname, '../renderer/src/features/bundles/read-bundle.ts');
  const [, version] = /^const newestVersion = (\d+);$/m.exec(readFileSync(file, 'utf8')) ?? [];
  expect(Number(version)).toBe(BUNDLE_VERSION);
});
