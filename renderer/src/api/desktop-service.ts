import { useEffect, useState } from 'react';
import type { ServiceView } from '../../../electron/src/ipc/contract.ts';
import { desktop } from '../desktop.ts';

/** What the desktop knows of the service it runs; undefined in a browser, and until it has said. */
export function useDesktopService(): ServiceView | undefined {
  const [view, setView] = useState<ServiceView>();
  useEffect(() => {
    if (desktop === undefined) return undefined;
    let isCurrent = true;
    void desktop.service.view().then((reply) => {
      if (isCurrent && reply.ok) setView((known) => known ?? reply.value);
    });
    const leave = desktop.service.onChange(setView);
    return () => {
      isCurrent = false;
      leave();
    };
  }, []);
  return view;
}
