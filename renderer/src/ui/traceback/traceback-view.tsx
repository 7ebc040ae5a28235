import type { ReactNode } from 'react';
import { EditorLink } from './editor-link.tsx';
import { type TracebackLine, tracebackParts } from './read-traceback.ts';
import './traceback.css';

interface TracebackProps {
  readonly lines: readonly TracebackLine[];
  /** The folder of the agents, if known. */
  readonly folder: string | undefined;
}

/** A traceback whose locations link to the editor; frames of libraries are folded. */
export function TracebackView({ lines, folder }: TracebackProps): ReactNode {
  return (
    <div className="traceback" role="group" aria-label="Traceback">
      {tracebackParts(lines).map((part, index) =>
        // Parts of a complete text have no other identity than their position.
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
      {lines.map(({ text, location }, index) => (
        <span key={index}>
          {location === undefined ? (
            text
          ) : (
            <>
              {text.slice(0, location.start)}
              <EditorLink
                location={location}
                text={text.slice(location.start, location.end)}
                folder={folder}
              />
              {text.slice(location.end)}
            </>
          )}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
