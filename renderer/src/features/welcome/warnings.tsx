import type { ReactNode } from 'react';
import type { ServiceView } from '../../../../electron/src/ipc/contract.ts';

/** Warnings about the current service. */
export function Warnings({ of: view }: { of: ServiceView | undefined }): ReactNode {
  return view?.warnings.map((warning) => (
    <p key={warning} className="callout" data-tone="interrupted" role="status">
      {warning}
    </p>
  ));
}
