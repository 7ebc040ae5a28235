import { MergeView } from '@codemirror/merge';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { comparingSetup } from './editor-setup.ts';
import { jsonCall } from './json-client.ts';
import { pathText, type JsonPath } from './json-path.ts';
import { OUTLINE_SIZE } from './json-size.ts';
import type { JsonDiffContent } from './use-json-diff.ts';

interface JsonTextDiffProps {
  readonly diff: JsonDiffContent;
  readonly labels: readonly [string, string];
}

const whole: JsonPath = [];

/** The two texts side by side, equal parts folded. Of large values one changed part at a time. */
export function JsonTextDiff({ diff, labels }: JsonTextDiffProps): ReactNode {
  const paths = useMemo(() => pathsOf(diff), [diff]);
  const [chosen, setChosen] = useState(0);
  const path = paths[chosen] ?? paths[0] ?? whole;
  const [texts, setTexts] = useState<readonly [string, string]>();
  useEffect(() => {
    let isCurrent = true;
    Promise.all([
      jsonCall('text', [diff.before.id, path]),
      jsonCall('text', [diff.after.id, path]),
    ]).then(
      (both) => isCurrent && setTexts(both),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [diff, path]);

  return (
    <>
      <div className="json-sides dim small">
        <span>{labels[0]}</span>
        <span>{labels[1]}</span>
      </div>
      {paths.length > 1 && (
        <label className="json-part-choice row dim small">
          Changed part
          <select value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
            {paths.map((path, index) => (
              <option key={pathText(path)} value={index}>
                {pathText(path)}
              </option>
            ))}
          </select>
        </label>
      )}
      {texts !== undefined && <MergedTexts texts={texts} labels={labels} />}
    </>
  );
}

/** The whole where it is small; else the smallest parents of the changes that can be shown. */
function pathsOf({ before, after, changes }: JsonDiffContent): JsonPath[] {
  if (before.outline.size + after.outline.size <= OUTLINE_SIZE) return [whole];
  const paths = new Map<string, JsonPath>();
  for (const { path } of changes.slice(0, 200)) {
    const part = path.slice(0, Math.min(path.length, 2));
    paths.set(pathText(part), part);
  }
  return [...paths.values()];
}

function MergedTexts({
  texts,
  labels,
}: { texts: readonly [string, string] } & Pick<JsonTextDiffProps, 'labels'>): ReactNode {
  const container = useRef<HTMLDivElement>(null);
  const [first, second] = labels;
  useEffect(() => {
    if (container.current === null) return undefined;
    const view = new MergeView({
      parent: container.current,
      a: { doc: texts[0], extensions: comparingSetup(first) },
      b: { doc: texts[1], extensions: comparingSetup(second) },
      collapseUnchanged: { margin: 3, minSize: 6 },
      // Bounded, so that two long texts with little in common do not block the page.
      diffConfig: { scanLimit: 2_000, timeout: 100 },
    });
    return () => view.destroy();
  }, [texts, first, second]);
  return <div ref={container} className="json-diff-text scroll" />;
}
