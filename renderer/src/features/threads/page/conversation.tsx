import type { ReactNode } from 'react';
import { EmptyState } from '../../../ui/empty-state.tsx';

/** Says that this page is not there yet. */
export function Component(): ReactNode {
  return <EmptyState title="Conversation" text="This page is not built yet." />;
}
