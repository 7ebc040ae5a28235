import type { ReactNode } from 'react';
import { ForeignText, revealed } from './foreign-text.tsx';

/** The name of a preset, in one line; `isInBrowser` marks one that the service does not have. */
export function PresetName(props: { name: string; isInBrowser: boolean }): ReactNode {
  const { name, isInBrowser } = props;
  return (
    <span className="row">
      <span className="clip" title={revealed(name, 1_000)}>
        <ForeignText text={name} />
      </span>
      {isInBrowser && (
        <>
          {' '}
          <span className="tag">in this browser</span>
        </>
      )}
    </span>
  );
}
