import { bounded } from './event-value.ts';
import { isRecord } from './run-config.ts';

/** LangChain's own names, those of OpenAI, and what LangChain.js makes of them. */
const counts = [
  ['input_tokens', 'prompt_tokens', 'promptTokens'],
  ['output_tokens', 'completion_tokens', 'completionTokens'],
  ['total_tokens', 'totalTokens'],
] as const;

/** Usage in the form of LangChain's `usage_metadata`, with its details; null without counts. */
export function usageOf(reported: unknown): Record<string, unknown> | null {
  const usage = bounded(reported);
  if (!isRecord(usage)) return null;
  const [input, output, total] = counts.map((names) =>
    names.map((name) => usage[name]).find((count): count is number => typeof count === 'number'),
  );
  if (input === undefined && output === undefined && total === undefined) return null;
  const details = Object.entries(usage).filter(([name]) => name.endsWith('_token_details'));
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    ...Object.fromEntries(details),
  };
}
