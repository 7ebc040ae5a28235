import { IconBug } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { isDebuggerOn, useDebugging } from '../api/desktop-debugging.ts';
import { languageNames } from '../ui/language-names.ts';

/** Shown while agents run under a debugger: runs are slower then, or paused at a breakpoint. */
export function DebugSign(): ReactNode {
  const view = useDebugging();
  if (view === undefined || !isDebuggerOn(view)) return null;
  const what = view.language === undefined ? 'agents' : languageNames[view.language];
  return (
    <span role="status">
      <Link className="header-link row tone" data-tone="running" to="/debug">
        <IconBug size={14} aria-hidden /> debugging {what} · {view.state}
      </Link>
    </span>
  );
}
