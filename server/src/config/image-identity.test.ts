import { expect, it } from 'vitest';

import { imageIdentity } from './image-config.ts';

it.each([
  ['agents', 'image/agents'],
  ['agents:2', 'image/agents'],
  ['localhost:5000/team/agents:2', 'image/localhost:5000/team/agents'],
  ['localhost:5000/agents', 'image/localhost:5000/agents'],
  [`r.example/agents:2@sha256:${'0'.repeat(64)}`, 'image/r.example/agents'],
])('%s is the same as any other version of it', (reference, identity) => {
  expect(imageIdentity(reference)).toBe(identity);
});
