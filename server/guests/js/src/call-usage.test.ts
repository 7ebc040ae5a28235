import { expect, it } from 'vitest';
import { usageOf } from './call-usage.ts';

it.each([
  [
    { input_tokens: 3, output_tokens: 2, total_tokens: 5, output_token_details: { reasoning: 1 } },
    { input_tokens: 3, output_tokens: 2, total_tokens: 5, output_token_details: { reasoning: 1 } },
  ],
  [
    { prompt_tokens: 3, completion_tokens: 2, total_tokens: 6, model: 'x' },
    { input_tokens: 3, output_tokens: 2, total_tokens: 6 },
  ],
  [
    { promptTokens: 3, completionTokens: 2 },
    { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
  ],
  [{}, null],
  ['many', null],
])('reports the usage %j in one form', (reported, usage) => {
  expect(usageOf(reported)).toEqual(usage);
});
