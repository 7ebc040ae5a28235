import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';

/** Explains why a page is empty in a browser, and what to do instead. */
export function DesktopOnly({ title, instead }: { title: string; instead: ReactNode }): ReactNode {
  return (
    <EmptyState
      title={`${title}: in the desktop app`}
      text={
        <>
          This studio is a page in a browser, served by a service that it did not start. {instead}
        </>
      }
    />
  );
}
