import type { ReactNode } from 'react';
import { Navigate } from 'react-router';
import { useDesktopService } from '../api/desktop-service.ts';
import { desktop } from '../desktop.ts';
import { isServing } from './service-move.ts';

/** The first page of a session: the threads, or, while the desktop has no service, the page that starts one. */
export function FirstPage(): ReactNode {
  const view = useDesktopService();
  if (desktop === undefined) return <Navigate to="/threads" replace />;
  if (view === undefined) return null;
  return <Navigate to={isServing(view) ? '/threads' : '/welcome'} replace />;
}
