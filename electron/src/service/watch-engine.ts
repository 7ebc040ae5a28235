import * as z from 'zod';

const pauseMs = 3_000;
const requestTimeoutMs = 5_000;
/** The server restarts an engine by itself; only one that stays unavailable is reported. */
const maxMisses = 3;

const healthSchema = z.object({
  components: z.object({
    engine: z.object({ status: z.string(), message: z.string().optional() }),
  }),
});

/** Reports when the engine stays unavailable, with the reason, and when it is back, with undefined. */
export function watchEngine(
  url: string,
  signal: AbortSignal,
  onChange: (failing: string | undefined) => void,
): void {
  let misses = 0;
  const check = async (): Promise<void> => {
    const failing = await engineTrouble(url);
    if (signal.aborted) return;
    if (failing === undefined && misses >= maxMisses) onChange(undefined);
    misses = failing === undefined ? 0 : misses + 1;
    if (misses === maxMisses) onChange(failing);
    setTimeout(() => void check(), pauseMs);
  };
  void check();
}

async function engineTrouble(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/health`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const { engine } = healthSchema.parse(await response.json()).components;
    return engine.status === 'failing' ? (engine.message ?? 'It does not respond.') : undefined;
  } catch (error) {
    return String(error);
  }
}
