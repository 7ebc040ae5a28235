import { IconArrowLeft } from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLayout } from '../state/layout.ts';
import { FoldedListContext, ListOverlay } from './folded-list.tsx';
import './split-pane.css';

interface SplitPaneProps {
  /** The key under which its size is stored. */
  readonly name: string;
  /** The handle's label for screen readers: "Width of the list". */
  readonly label: string;
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** `row`: side by side. `column`: one above the other. */
  readonly direction?: 'row' | 'column';
  /** Which of the two has the stored size; the other fills the rest. */
  readonly sized?: 'first' | 'second';
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly className?: string;
  /** Where there is no room for both: which one is visible, or both one above the other. */
  readonly narrow?: 'first' | 'second' | 'stack' | undefined;
  /** Fewer pixels than this are narrow. */
  readonly narrowBelow?: number;
  /** What is in the first, "threads": it folds away where only the second is visible, whose header shows it. */
  readonly list?: string;
  /** The link from the second to the first, where only one is visible. */
  readonly back?: { readonly label: string; readonly go: () => void };
}

const step = 16;

/** Two panes with a handle between them: dragged, or moved with the arrow keys; double click resets it. */
export function SplitPane(props: SplitPaneProps): ReactNode {
  const {
    name,
    label,
    first,
    second,
    direction = 'row',
    sized = 'first',
    initial,
    min,
    max,
  } = props;
  const stored = useLayout((state) => state.panes[name]);
  const setPane = useLayout((state) => state.setPane);
  const whole = useRef<HTMLDivElement>(null);
  const isNarrow = useIsBelow(whole, props.narrowBelow ?? 760);
  const narrow = isNarrow && direction === 'row' ? props.narrow : undefined;
  const [isListShown, setListShown] = useState(false);
  const hideList = useCallback(() => setListShown(false), []);
  const folded = useMemo(
    () =>
      narrow === 'second' && props.list !== undefined
        ? { label: props.list, show: () => setListShown(true) }
        : undefined,
    [narrow, props.list],
  );
  const drag = useRef<{ at: number; size: number }>(undefined);
  const size = clamp(stored ?? initial, min, max);
  const sign = sized === 'first' ? 1 : -1;
  const positionOf = (event: PointerEvent): number =>
    direction === 'row' ? event.clientX : event.clientY;

  const onKeyDown = (event: KeyboardEvent): void => {
    const [less, more] =
      direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const wanted =
      event.key === less
        ? size - step * sign
        : event.key === more
          ? size + step * sign
          : event.key === 'Home'
            ? min
            : event.key === 'End'
              ? max
              : undefined;
    if (wanted === undefined) return;
    event.preventDefault();
    setPane(name, clamp(wanted, min, max));
  };

  const basis = { flexBasis: size };
  const pane = (which: 'first' | 'second') =>
    narrow === undefined && sized === which
      ? { className: 'split-pane-sized', style: basis }
      : { className: which === 'first' ? 'split-pane-first' : 'split-pane-rest' };
  return (
    <div
      ref={whole}
      className={`split-pane split-pane-${direction} ${props.className ?? ''}`}
      data-narrow={narrow}
    >
      {narrow !== 'second' && (
        <div key="first" {...pane('first')}>
          {first}
        </div>
      )}
      {narrow === undefined && (
        <div
          key="handle"
          className="split-pane-handle"
          role="separator"
          aria-label={label}
          aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
          aria-valuenow={Math.round(size)}
          aria-valuemin={min}
          aria-valuemax={max}
          tabIndex={0}
          onKeyDown={onKeyDown}
          onDoubleClick={() => setPane(name, initial)}
          onPointerDown={(event) => {
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.current = { at: positionOf(event), size };
          }}
          onPointerMove={(event) => {
            if (drag.current === undefined) return;
            const moved = (positionOf(event) - drag.current.at) * sign;
            setPane(name, clamp(drag.current.size + moved, min, max));
          }}
          onPointerUp={() => (drag.current = undefined)}
          onPointerCancel={() => (drag.current = undefined)}
        />
      )}
      {narrow !== 'first' && (
        <div key="second" {...pane('second')}>
          {narrow === 'second' && props.back !== undefined && (
            <button type="button" className="split-pane-back row" onClick={props.back.go}>
              <IconArrowLeft size={16} aria-hidden /> {props.back.label}
            </button>
          )}
          <FoldedListContext value={folded}>{second}</FoldedListContext>
        </div>
      )}
      {folded !== undefined && isListShown && (
        <ListOverlay key="list" label={folded.label} style={{ width: size }} onClose={hideList}>
          {first}
        </ListOverlay>
      )}
    </div>
  );
}

/** True while the element has fewer pixels than that; known before the first paint. */
function useIsBelow(element: RefObject<HTMLElement | null>, limit: number): boolean {
  // It is never wider than the window: a first estimate, so that no page renders what is then removed.
  const [isBelow, setIsBelow] = useState(() => window.innerWidth < limit);
  // Both shapes of the pane have the same root element: it stays the one that is observed.
  useLayoutEffect(() => {
    const seen = element.current;
    if (seen === null) return;
    const measure = (): void => {
      // No width at all is a pane that is not rendered, not a narrow one.
      if (seen.clientWidth > 0) setIsBelow(seen.clientWidth < limit);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(seen);
    return () => observer.disconnect();
  }, [element, limit]);
  return isBelow;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
