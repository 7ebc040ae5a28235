import type { ReactNode } from 'react';
import { useServiceUrl } from '../../api/queries/service-url.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { newThreadLine } from './thread-links.ts';
import { KeyNames } from '../../ui/key-names.tsx';

/** Shown next to the list while no thread is open. */
export function Component(): ReactNode {
  const url = useServiceUrl();
  return (
    <EmptyState
      title="No thread is open"
      text={
        <>
          Its conversation, state, runs and checkpoints will be here. Move with{' '}
          <KeyNames keys="j" /> <KeyNames keys="k" />, open with <KeyNames keys="enter" />, make one
          with <KeyNames keys="n" />, or from a terminal:
        </>
      }
      curl={newThreadLine(url)}
    />
  );
}
