import { expect, it } from 'vitest';
import { renderConfigDocs } from './render-docs.ts';
import { settingEntries } from './settings/settings.ts';

it('has one row for every setting', () => {
  const rows = renderConfigDocs().split('\n');
  for (const [key] of settingEntries()) {
    expect(rows.filter((row) => row.startsWith(`| \`${key}\` |`))).toHaveLength(1);
  }
});

it('shows flag, alias, variable and default', () => {
  expect(renderConfigDocs()).toContain(
    '| `engine.namespace` | `--temporal-namespace <name>`, `--engine-namespace` | `SERVICE_ENGINE_NAMESPACE` | `default` | Temporal namespace. |',
  );
});
