import * as z from 'zod';

const pauseMs = 3_000;
const askLimitMs = 5_000;
/** The server restarts an engine by itself; only one that stays away is worth a word. */
const patience = 3;

const healthSchema = z.object({
  components: z.object({
    engine: z.object({ status: z.string(), message: z.string().optional() }),
  }),
});

/** Tells when the engine stays away, with the reason, and when it is back, with nothing. */
export function watchEngine(
  url: string,
  signal: AbortSignal,
  onChange: (failing: string | undefined) => void,
): void {
  let misses = 0;
  const look = async (): Promise<void> => {
    const failing = await engineTrouble(url);
    if (signal.aborted) return;
    if (failing === undefined && misses >= patience) onChange(undefined);
    misses = failing === undefined ? 0 : misses + 1;
    if (misses === patience) onChange(failing);
    setTimeout(() => void look(), pauseMs);
  };
  void look();
}

async function engineTrouble(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(askLimitMs) });
    const { engine } = healthSchema.parse(await answer.json()).components;
    return engine.status === 'failing' ? (engine.message ?? 'It does not answer.') : undefined;
  } catch (error) {
    return String(error);
  }
}
