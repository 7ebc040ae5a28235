import type { TestProject } from 'vitest/node';
import { startLabEngine, type LabEngine } from '../fixtures/lab-engine.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engine: LabEngine;
  }
}

/** One engine for the whole suite: each file has its own task queue and thread ids. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...engine } = await startLabEngine();
  project.provide('engine', engine);
  return close;
}
