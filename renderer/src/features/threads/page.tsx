import type { ReactNode } from 'react';
import { Outlet } from 'react-router';

/** Says that this page is not there yet. */
export function Component(): ReactNode {
  return <Outlet />;
}
