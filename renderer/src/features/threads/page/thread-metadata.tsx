import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { ThreadWithValues } from '../../../api/generated/types.gen.ts';
import { tip } from '../../../ui/tip.tsx';

/** What a pair takes on average, and the button for those that do not fit. */
const pairPx = 140;
const morePx = 40;

interface ThreadMetadataProps {
  readonly metadata: ThreadWithValues['metadata'];
  readonly onEdit: () => void;
}

/** As many pairs as there is room for; the others are a number, with what they are in its tooltip. */
export function ThreadMetadata({ metadata, onEdit }: ThreadMetadataProps): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const fitting = useFitting(element);
  const pairs = Object.entries(metadata);
  const rest = pairs.slice(fitting);
  return (
    <div ref={element} className="thread-head-metadata row grow">
      {pairs.slice(0, fitting).map(([key, value]) => (
        <button
          key={key}
          {...tip(`${key}=${value}`)}
          type="button"
          className="thread-head-pair tag clip"
          onClick={onEdit}
        >
          <span className="dim">{key}=</span>
          {value}
        </button>
      ))}
      {rest.length > 0 && (
        <button
          {...tip(rest.map(([key, value]) => `${key}=${value}`).join('\n'))}
          type="button"
          className="thread-head-pair tag"
          aria-label={`${rest.length} more of metadata`}
          onClick={onEdit}
        >
          +{rest.length}
        </button>
      )}
    </div>
  );
}

/** How many pairs fit into the element, which fills what the rest of its row leaves. */
function useFitting(element: RefObject<HTMLElement | null>): number {
  const [count, setCount] = useState(1);
  useLayoutEffect(() => {
    const seen = element.current;
    if (seen === null) return;
    const measure = (): void =>
      setCount(Math.max(0, Math.floor((seen.clientWidth - morePx) / pairPx)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(seen);
    return () => observer.disconnect();
  }, [element]);
  return count;
}
