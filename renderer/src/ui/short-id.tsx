import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCopied } from './copied.ts';
import { shortenMiddle } from './format.ts';
import { tip } from './tip.tsx';
import './short-id.css';

interface ShortIdProps {
  readonly id: string;
  /** Characters that stay. */
  readonly length?: number;
  /** Without copying on click, where a click means something else, such as a row that opens. */
  readonly isPlain?: boolean;
}

/** How many characters always stay at the end: that is where generated ids differ. */
const tail = 6;

/** An id that is shortened in its middle where there is no room for the whole; whole on hover. */
export function FittedId({ id }: { id: string }): ReactNode {
  if (id.length <= 2 * tail) return <span className="short-id">{id}</span>;
  return (
    <span className="short-id fitted-id" title={id}>
      <span>{id.slice(0, -tail)}</span>
      <span>{id.slice(-tail)}</span>
    </span>
  );
}

/** An id shortened in its middle: whole on hover, copied with a click. */
export function ShortId({ id, length = 13, isPlain }: ShortIdProps): ReactNode {
  const { isCopied, copy } = useCopied();
  const short = shortenMiddle(id, length);
  if (isPlain === true) {
    return (
      <span className="short-id" title={short === id ? undefined : id}>
        {short}
      </span>
    );
  }
  return (
    <button
      {...tip(isCopied ? 'Copied' : short === id ? 'Copy' : id)}
      className="short-id short-id-copy row"
      type="button"
      // The visible text comes first (WCAG 2.5.3), for users of speech input.
      aria-label={short === id ? `Copy ${id}` : `${short}: copy ${id}`}
      onClick={(event) => {
        event.stopPropagation();
        copy(id);
      }}
    >
      {short}
      {isCopied && <IconCheck size={12} aria-hidden />}
    </button>
  );
}
