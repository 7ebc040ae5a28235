import { isObject } from '../../model/json.ts';
import type { PricedUsage } from '../prices.ts';

/** No call has more: sums stay within what databases count. */
const MOST_TOKENS = 1e9;

/** The tokens of a model call, as LangChain's `usage_metadata` has them; undefined when it has none. */
export function usageOf(usage: unknown): (PricedUsage & { total: number }) | undefined {
  if (!isObject(usage)) return undefined;
  const input = countOf(usage['input_tokens']);
  const output = countOf(usage['output_tokens']);
  const total = countOf(usage['total_tokens']) || input + output;
  if (total === 0) return undefined;
  const details = usage['input_token_details'];
  const cachedInput = isObject(details) ? countOf(details['cache_read']) : 0;
  return { input, output, total, cachedInput };
}

function countOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.round(value), MOST_TOKENS);
}
