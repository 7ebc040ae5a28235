import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { useDesktopService } from '../api/desktop-service.ts';
import { desktop } from '../desktop.ts';
import { isAnswering } from './service-move.ts';

/** Where a session begins: at the threads, or, while the desktop has no service, where one is chosen and started. */
export function FirstPage(): ReactNode {
  const view = useDesktopService();
  if (desktop === undefined) return <Navigate to="/threads" replace />;
  if (view === undefined) return null;
  return <Navigate to={isAnswering(view) ? '/threads' : '/welcome'} replace />;
}
