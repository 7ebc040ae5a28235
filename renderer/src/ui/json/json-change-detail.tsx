import { presentableDiff } from '@codemirror/merge';
import { useEffect, useState, type ReactNode } from 'react';
import { jsonCall } from './json-client.ts';
import type { ChangeEntry } from './json-documents.ts';
import type { JsonPath } from './json-path.ts';
import { formatSize } from '../format.ts';
import type { JsonDiffContent } from './use-json-diff.ts';

interface JsonChangeDetailProps {
  readonly change: ChangeEntry;
  readonly diff: JsonDiffContent;
  readonly labels: readonly [string, string];
}

const shownLength = 50_000;
const comparedLength = 20_000;

type Piece = readonly [text: string, isChanged: boolean];

/** Both values of a change, whole, with the pieces of text that differ marked. */
export function JsonChangeDetail({ change, diff, labels }: JsonChangeDetailProps): ReactNode {
  const before = usePartText(
    diff.before.id,
    change.kind === 'added' ? undefined : change.beforePath,
  );
  const after = usePartText(diff.after.id, change.kind === 'removed' ? undefined : change.path);
  const [was, is] = piecesOf(before, after);
  return (
    <div className="json-change-full">
      {change.kind !== 'added' && (
        <DetailSide label={labels[0]} size={change.beforeSize} pieces={was} side="before" />
      )}
      {change.kind !== 'removed' && (
        <DetailSide label={labels[1]} size={change.afterSize} pieces={is} side="after" />
      )}
    </div>
  );
}

interface DetailSideProps {
  readonly label: string;
  readonly size: number;
  readonly pieces: readonly Piece[];
  readonly side: 'before' | 'after';
}

function DetailSide({ label, size, pieces, side }: DetailSideProps): ReactNode {
  return (
    <div>
      <div className="json-detail-label dim small">
        {label}, {formatSize(size)}
      </div>
      <pre className="json-detail scroll" tabIndex={0} aria-label={`${label}, whole value`}>
        {pieces.map(([text, isChanged], index) =>
          isChanged ? (
            <mark key={index} className={`json-mark-${side}`}>
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </pre>
    </div>
  );
}

/** The text of a part; of a string the string itself, so that its lines are lines. */
function usePartText(id: number, path: JsonPath | undefined): string | undefined {
  const [text, setText] = useState<string>();
  useEffect(() => {
    if (path === undefined) return undefined;
    let isCurrent = true;
    jsonCall('text', [id, path]).then(
      (json) => isCurrent && setText(json.startsWith('"') ? String(JSON.parse(json)) : json),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [id, path]);
  return text;
}

function piecesOf(before?: string, after?: string): [readonly Piece[], readonly Piece[]] {
  const short = (text = ''): string =>
    text.length > shownLength ? `${text.slice(0, shownLength)}\n…` : text;
  if (before === undefined || after === undefined || before.length + after.length > comparedLength)
    return [[[short(before), false]], [[short(after), false]]];
  const was: Piece[] = [];
  const is: Piece[] = [];
  let [fromA, fromB] = [0, 0];
  for (const change of presentableDiff(before, after)) {
    was.push(
      [before.slice(fromA, change.fromA), false],
      [before.slice(change.fromA, change.toA), true],
    );
    is.push(
      [after.slice(fromB, change.fromB), false],
      [after.slice(change.fromB, change.toB), true],
    );
    [fromA, fromB] = [change.toA, change.toB];
  }
  return [
    [...was, [before.slice(fromA), false]],
    [...is, [after.slice(fromB), false]],
  ];
}
