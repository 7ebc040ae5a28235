import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import { useLayout } from '../state/layout.ts';
import './split-pane.css';

interface SplitPaneProps {
  /** Under this name its size is remembered. */
  readonly name: string;
  /** What a screen reader calls the handle: "Width of the list". */
  readonly label: string;
  readonly first: ReactNode;
  readonly second: ReactNode;
  /** `row`: beside each other. `column`: above each other. */
  readonly direction?: 'row' | 'column';
  /** Which of the two has the remembered size; the other takes the rest. */
  readonly sized?: 'first' | 'second';
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  readonly className?: string;
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
  const drag = useRef<{ at: number; size: number }>(undefined);
  const size = clamp(stored ?? initial, min, max);
  const sign = sized === 'first' ? 1 : -1;
  const place = (event: PointerEvent): number =>
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
  return (
    <div className={`split-pane split-pane-${direction} ${props.className ?? ''}`}>
      <div
        className={sized === 'first' ? 'split-pane-sized' : 'split-pane-rest'}
        style={sized === 'first' ? basis : undefined}
      >
        {first}
      </div>
      <div
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
          drag.current = { at: place(event), size };
        }}
        onPointerMove={(event) => {
          if (drag.current === undefined) return;
          const moved = (place(event) - drag.current.at) * sign;
          setPane(name, clamp(drag.current.size + moved, min, max));
        }}
        onPointerUp={() => (drag.current = undefined)}
        onPointerCancel={() => (drag.current = undefined)}
      />
      <div
        className={sized === 'second' ? 'split-pane-sized' : 'split-pane-rest'}
        style={sized === 'second' ? basis : undefined}
      >
        {second}
      </div>
    </div>
  );
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
