import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { ServiceView } from '../../../electron/src/ipc/contract.ts';
import { useDesktopService } from '../api/desktop-service.ts';
import { serviceMove } from './service-move.ts';

/** Updates data and page when the desktop's service starts, comes back, or is replaced. */
export function FollowService(): null {
  const view = useDesktopService();
  const { pathname } = useLocation();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const before = useRef<ServiceView>(undefined);
  useEffect(() => {
    if (view === undefined || view === before.current) return;
    const { queries, to } = serviceMove(before.current, view, pathname);
    before.current = view;
    if (queries === 'again') void cache.invalidateQueries();
    if (queries === 'forget') void cache.resetQueries();
    if (to !== undefined) void navigate(to);
  }, [view, pathname, cache, navigate]);
  return null;
}
