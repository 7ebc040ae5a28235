import type { ServiceProcess } from '../fixtures/start-service.ts';

const LIMIT_MS = 120_000;
const POLL_MS = 20;

/** Resolves when every component of the service is well. */
export async function untilHealthy({ url }: ServiceProcess): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (performance.now() < limit) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('The service did not become healthy.');
}
