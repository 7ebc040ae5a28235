import type { ReactNode } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Says what policies are, and how the service is started with some. */
export function NoPolicies(): ReactNode {
  return (
    <EmptyState
      title="No policies"
      text={
        <>
          The service was started without policy files. Start it with <code>--policy</code> to have
          each request decided, and see here who may do what.
        </>
      }
      curl="service serve ./agent --policy policies/owner-only.yaml"
    />
  );
}
