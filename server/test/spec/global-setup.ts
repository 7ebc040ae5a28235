import type { TestProject } from 'vitest/node';
import { startJudgingFront } from '../fixtures/judging-front.ts';
import { startExamples } from '../fixtures/start-examples.ts';
import { startValidatingProxy } from '../fixtures/validating-proxy.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceUrl: string;
    /** Whether every exchange is held against the document on its way (judged.ts). */
    isJudged: boolean;
  }
}

/** With as many exchanges the suite is whole, and most of them can be judged. */
const WHOLE_SUITE = 500;

/**
 * The service at SERVICE_URL; or one for the whole suite that serves the examples, behind a proxy that holds every
 * exchange against the OpenAPI document.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SERVICE_URL'];
  if (given !== undefined) {
    project.provide('serviceUrl', given.replace(/\/$/, ''));
    project.provide('isJudged', false);
    return async () => {};
  }
  const closings: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closings.splice(0).toReversed()) await one();
  };
  try {
    const service = await startExamples();
    closings.push(() => service.stop());
    const proxy = await startValidatingProxy(service.url);
    closings.push(() => proxy.close());
    const front = await startJudgingFront(proxy.url, service.url);
    closings.push(() => front.close());
    project.provide('serviceUrl', front.url);
    project.provide('isJudged', true);
    return async () => {
      await close();
      const { exchanges, judged } = front.counts();
      process.stdout.write(`The proxy judged ${judged} of ${exchanges} exchanges.\n`);
      // Each test has asked for its own; nothing may have come after them.
      const late = front.takeViolations();
      if (late.length > 0) throw new Error(`Not as documented:\n${JSON.stringify(late, null, 2)}`);
      if (exchanges > WHOLE_SUITE && judged < exchanges / 2) {
        throw new Error('The proxy has judged less than half of the exchanges.');
      }
    };
  } catch (error) {
    await close();
    throw error;
  }
}
