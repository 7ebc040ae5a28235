import type { ReactNode } from 'react';
import { EditorLink } from './editor-link.tsx';
import { type TracebackLine, tracebackParts } from './read-traceback.ts';
import './traceback.css';

interface TracebackProps {
  readonly lines: readonly TracebackLine[];
  /** Of the agents, where it is known. */
  readonly folder: string | undefined;
}

/** A traceback whose places lead into the editor; what libraries did is folded away. */
export function TracebackView({ lines, folder }: TracebackProps): ReactNode {
  return (
    <div className="traceback" role="group" aria-label="Traceback">
      {tracebackParts(lines).map((part, index) =>
        // Parts of a finished text have no other identity than where they stand.
        part.isForeign ? (
          <details key={index}>
            <summary>
              {part.frames} {part.frames === 1 ? 'frame' : 'frames'} of libraries
            </summary>
            <TracebackText lines={part.lines} folder={folder} />
          </details>
        ) : (
          <TracebackText key={index} lines={part.lines} folder={folder} />
        ),
      )}
    </div>
  );
}

function TracebackText({ lines, folder }: TracebackProps): ReactNode {
  return (
    <pre>
      {lines.map(({ text, place }, index) => (
        <span key={index}>
          {place === undefined ? (
            text
          ) : (
            <>
              {text.slice(0, place.start)}
              <EditorLink place={place} text={text.slice(place.start, place.end)} folder={folder} />
              {text.slice(place.end)}
            </>
          )}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
