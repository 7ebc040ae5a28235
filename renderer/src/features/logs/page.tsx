import type { ReactNode } from 'react';
import { desktop } from '../../desktop.ts';
import { DesktopOnly } from '../../ui/desktop-only.tsx';
import { LogPanel } from './log-panel.tsx';
import { useLogLines } from './use-log-lines.ts';
import './logs.css';

/** What the service and each guest wrote. */
export function Component(): ReactNode {
  const { lines, error } = useLogLines(desktop);
  if (desktop === undefined) {
    return (
      <DesktopOnly
        title="The log of the service"
        instead="It is on the terminal or in the collector where the service was started; what an agent wrote during a run is in the Logs tab of that run."
      />
    );
  }
  return <LogPanel lines={lines} error={error} />;
}
