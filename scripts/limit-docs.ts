import type { LimitRow } from '../server/src/model/limits/limit-row.ts';
import { deriveLimits, limitRows } from '../server/src/model/limits/limits.ts';

/** The text of docs/limits.md, made from the table of limits. */
export function limitDocs(): string {
  const inline = deriveLimits({ maxCheckpointBytes: 0 });
  const external = deriveLimits({
    maxCheckpointBytes: 0,
    isExternal: true,
  });
  // Object.entries widens the keys to string; the table has exactly these.
  const names = Object.keys(limitRows) as (keyof typeof limitRows)[];
  const rows = names.map((name) => {
    const row: LimitRow = limitRows[name];
    const [one, other] = [inline[name], external[name]].map((value) => amount(value, row.unit));
    const label = row.label === undefined ? '' : `\`${row.label}\``;
    return `| ${row.what} | ${row.formula} | ${one} | ${other} | ${row.where} | ${row.outcome} | ${label} |`;
  });
  return `# Limits

Made from \`server/src/model/limits/limits.ts\` by \`npm run generate\`; do not edit.

M is \`engine.max_checkpoint_bytes\` (0: 1 MiB, with external checkpoint storage 8 MiB; explicit up to 24 MiB). It is
pinned into a thread when the thread is created: raising it affects threads created afterwards. P is one payload of the
engine. Sizes of checkpoints and writes are those of their content, wherever it is kept; what an engine payload has to
carry is measured as it is sent. The tag is that of \`service_size_limit_rejections_total\`.

| what | formula | inline | external | where | beyond it | tag \`limit\` |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

A rejected write never reaches the engine. The run ends with \`checkpoint_too_large\`; its message names the channel and
the task, both sizes and the setting to raise. The thread stays as it was before that write: it can be read, and the
next run works.
`;
}

function amount(value: number, unit: LimitRow['unit']): string {
  if (value === Infinity) return '-';
  if (unit === 'ms') return value % 1_000 === 0 ? `${value / 1_000} s` : `${value} ms`;
  if (unit !== 'bytes') return `${value.toLocaleString('en')} ${unit}`;
  return value.toLocaleString('en');
}
