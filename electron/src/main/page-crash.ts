import type { Question } from './confirmations.ts';

/** What this needs of the window's page. */
interface CrashingPage {
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { reason: string; exitCode: number }) => void,
  ): unknown;
  reload(): void;
}

/** Shows that the page's process has ended, which leaves an empty window, and reloads the page on request. */
export function offerReload(
  page: CrashingPage,
  options: {
    ask: (question: Question) => Promise<boolean>;
    /** Called with what happened, for the log. */
    onCrash: (details: { reason: string; exitCode: number }) => void;
  },
): void {
  page.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return;
    options.onCrash({ reason, exitCode });
    const question = {
      message: 'The page of this window has ended.',
      detail: `${reasons[reason] ?? `Its process ended with code ${exitCode} (${reason}).`} The service and its runs continue.`,
      confirm: 'Reload',
    };
    void options.ask(question).then((isWanted) => {
      if (isWanted) page.reload();
    });
  });
}

const reasons: Readonly<Record<string, string>> = {
  oom: 'It ran out of memory.',
  killed: 'Its process was killed.',
};
