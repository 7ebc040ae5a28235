import type { ReactNode } from 'react';
import { desktop } from '../../desktop.ts';
import { BrowserLogs } from './browser-logs.tsx';
import { LogPanel } from './log-panel.tsx';
import { useLogLines } from './use-log-lines.ts';
import './logs.css';

/** What the service and each guest wrote. */
export function Component(): ReactNode {
  const { lines, error } = useLogLines(desktop);
  if (desktop === undefined) return <BrowserLogs />;
  return <LogPanel lines={lines} error={error} />;
}
