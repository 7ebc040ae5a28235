import { type ReactNode, Suspense } from 'react';
import { Outlet } from 'react-router';
import type { Command } from '../ui/commands.ts';
import { PageSkeleton } from '../ui/page-skeleton.tsx';
import { FollowService } from './follow-service.tsx';
import { FrameCommands } from './frame-commands.tsx';
import './frame.css';
import { Header } from './header.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { ServiceLine } from './service-line.tsx';

interface FrameProps {
  readonly commands: readonly Command[];
  readonly principalSwitcher: ReactNode;
  /** The drawer that runs an agent from any page. */
  readonly composer?: ReactNode;
  /** Reports what happens while another page is open. */
  readonly notices?: ReactNode;
}

/** The frame around every page: the rail, the header, the line about a failing service. */
export function Frame({ commands, principalSwitcher, composer, notices }: FrameProps): ReactNode {
  return (
    <div className="frame">
      <a className="frame-skip" href="#content" onClick={focusContent}>
        Skip to content
      </a>
      <FollowService />
      <FrameCommands commands={commands} />
      {/* Before the page: keys of a page win. */}
      {composer}
      {notices}
      <Header principalSwitcher={principalSwitcher} />
      <ServiceLine />
      <Rail />
      <main className="frame-content" id="content" tabIndex={-1}>
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      </main>
      <Palette />
    </div>
  );
}

/** The URL's hash is the route: the link moves the focus instead of the page. */
function focusContent(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
