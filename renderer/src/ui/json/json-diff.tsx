import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { JsonChangeList } from './json-change-list.tsx';
import type { JsonDocument } from './json-client.ts';
import { JsonTextDiff } from './json-text-diff.tsx';
import { useJsonDiff, type JsonDiffContent } from './use-json-diff.ts';
import './json.css';

export interface JsonDiffProps {
  readonly before?: unknown;
  readonly after?: unknown;
  /** Documents that the worker already has, instead of the values. */
  readonly documents?: readonly [JsonDocument, JsonDocument] | undefined;
  readonly labels: readonly [string, string];
  readonly mode?: 'structure' | 'text';
}

/**
 * The differences of two JSON values: the changes with the old and the new value, or their texts side by side.
 * `mode` is the initial view; the user switches. Pass values that keep their identity between renderings.
 */
export function JsonDiff({ before, after, documents, labels, mode }: JsonDiffProps): ReactNode {
  const diff = useJsonDiff(before, after, documents);
  const [chosen, setChosen] = useState(mode ?? 'structure');
  if (diff.state !== 'ready')
    return (
      <div className="json-box" aria-busy={diff.state === 'loading'}>
        <p className="hint" role={diff.state === 'failed' ? 'alert' : undefined}>
          {diff.state === 'failed' ? `They cannot be compared: ${diff.message}` : ''}
        </p>
      </div>
    );
  return (
    <section className="json-box" aria-label={`Differences, ${labels[0]} to ${labels[1]}`}>
      <div className="json-bar row dim small">
        <span className="clip grow mono">{countText(diff)}</span>
        {(['structure', 'text'] as const).map((name) => (
          <Button
            key={name}
            size="compact-xs"
            variant={chosen === name ? 'default' : 'subtle'}
            color="gray"
            aria-pressed={chosen === name}
            onClick={() => setChosen(name)}
          >
            {name === 'structure' ? 'Structure' : 'Text'}
          </Button>
        ))}
      </div>
      {diff.total === 0 ? (
        <p className="hint">
          No differences: {labels[0]} and {labels[1]} have the same values.
        </p>
      ) : chosen === 'structure' ? (
        <JsonChangeList diff={diff} labels={labels} />
      ) : (
        <JsonTextDiff diff={diff} labels={labels} />
      )}
    </section>
  );
}

function countText({ changes, total }: JsonDiffContent): string {
  if (total === 0) return 'no changes';
  const counts = (['changed', 'added', 'removed'] as const)
    .map((kind) => [changes.filter((change) => change.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count.toLocaleString('en')} ${kind}`);
  const shown = total > changes.length ? `, first ${changes.length.toLocaleString('en')} of` : '';
  return shown === '' ? counts.join(', ') : `${counts.join(', ')}${shown} ${total} changes`;
}
