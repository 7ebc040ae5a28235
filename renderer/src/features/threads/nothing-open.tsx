import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useDesktopService } from '../../api/desktop-service.ts';
import { infoQuery } from '../../api/queries/health.ts';
import { addressOf } from '../../api/service-place.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { KeyNames } from '../../ui/key-names.tsx';

/** What stands beside the list while no thread is open. */
export function Component(): ReactNode {
  const view = useDesktopService();
  const info = useQuery(infoQuery).data;
  const { url } = addressOf({ ...info, ...(view?.url !== undefined && { url: view.url }) });
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
      curl={`curl -s ${url}/threads -H 'content-type: application/json' -d '{"thread_id": "demo"}'`}
    />
  );
}
