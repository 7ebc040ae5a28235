import { useEffect, useState } from 'react';
import type { DebuggingView } from '../../../electron/src/ipc/contract.ts';
import { desktop } from '../desktop.ts';

/** Whether agents are run under a debugger, or about to be. */
export function isDebuggerOn({ state }: DebuggingView): boolean {
  return state === 'starting' || state === 'waiting' || state === 'attached';
}

/** The desktop's state of the debugger; undefined in a browser, and until it is read. */
export function useDebugging(): DebuggingView | undefined {
  const [view, setView] = useState<DebuggingView>();
  useEffect(() => {
    if (desktop === undefined) return undefined;
    let isCurrent = true;
    void desktop.debugging.view().then((reply) => {
      if (isCurrent && reply.ok) setView((known) => known ?? reply.value);
    });
    const leave = desktop.debugging.onChange(setView);
    return () => {
      isCurrent = false;
      leave();
    };
  }, []);
  return view;
}
