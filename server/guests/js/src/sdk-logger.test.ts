import { expect, it } from 'vitest';
import { createSdkLogger } from './sdk-logger.ts';

it('writes a line for each message, with its level and details', () => {
  const lines: string[] = [];
  const logger = createSdkLogger((line) => lines.push(line));
  logger.warn('Look', { at: 1 });
  logger.log('info', 'There');
  const circle: { self?: unknown } = {};
  circle.self = circle;
  logger.debug(circle);
  expect(lines).toEqual(['warn: Look {"at":1}', 'info: There', 'debug: [object Object]']);
});
