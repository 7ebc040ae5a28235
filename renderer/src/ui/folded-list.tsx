import { ActionIcon } from '@mantine/core';
import { IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import {
  createContext,
  type CSSProperties,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { useLocation } from 'react-router';
import { tip } from './tip.tsx';

/** A list that a narrow window has no room for beside the page. */
interface FoldedList {
  /** What is in it: "threads". */
  readonly label: string;
  readonly show: () => void;
}

export const FoldedListContext = createContext<FoldedList | undefined>(undefined);

/** In the header of a page: shows the list over it. Nothing while the list is beside the page. */
export function ListButton(): ReactNode {
  const list = useContext(FoldedListContext);
  if (list === undefined) return null;
  const label = `Show the ${list.label}`;
  return (
    <ActionIcon {...tip(label)} aria-label={label} onClick={list.show}>
      <IconLayoutSidebarLeftExpand size={16} aria-hidden />
    </ActionIcon>
  );
}

interface ListOverlayProps {
  readonly label: string;
  readonly style: CSSProperties;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The list over its page, until something is chosen in it, Escape is pressed or the page is clicked. */
export function ListOverlay({ label, style, onClose, children }: ListOverlayProps): ReactNode {
  const { pathname } = useLocation();
  const openedAt = useRef(pathname);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pathname !== openedAt.current) onClose();
  }, [pathname, onClose]);
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <>
      <div className="list-overlay-page" aria-hidden onClick={onClose} />
      <div
        ref={element}
        className="list-overlay"
        role="dialog"
        aria-label={`All ${label}`}
        tabIndex={-1}
        style={style}
        onKeyDown={(press) => {
          if (press.key !== 'Escape' || press.defaultPrevented) return;
          press.preventDefault();
          press.stopPropagation();
          onClose();
        }}
      >
        {children}
      </div>
    </>
  );
}
