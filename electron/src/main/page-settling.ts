/** A page that does not respond loses what it has delayed: nothing waits for it longer. */
const limitMs = 3_000;

/** What the page has delayed, such as deletions that can be undone, is done before its service or its window goes. */
export interface PageSettling {
  /** Resolves when the page has done it, when there is no page, or when the time is up. Never rejects. */
  settle(): Promise<void>;
  /** The page has done what this request asked for. */
  settled(request: number): void;
}

/** What this needs of the page. */
interface SettledPage {
  /** Loaded and alive: another one has nothing delayed, and would not respond. */
  isReady(): boolean;
  ask(request: number): void;
}

/** Asks one page. */
export function createPageSettling({ isReady, ask }: SettledPage): PageSettling {
  const waiting = new Map<number, () => void>();
  let count = 0;
  return {
    async settle() {
      if (!isReady()) return;
      const request = (count += 1);
      let limit: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        waiting.set(request, resolve);
        limit = setTimeout(resolve, limitMs);
        ask(request);
      });
      clearTimeout(limit);
      waiting.delete(request);
    },
    settled: (request) => waiting.get(request)?.(),
  };
}
