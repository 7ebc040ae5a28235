/** What a model's tokens cost, for a million of them. */
export interface Price {
  /** A model's name, or the beginning of one with `*` at its end. The first price that fits counts. */
  model: string;
  input: number;
  output: number;
  /** Of input tokens that the model had read before; absent: as `input`. */
  cachedInput?: number;
}

/** Tokens of one call, as its model reported them. */
export interface PricedUsage {
  input: number;
  output: number;
  cachedInput: number;
}

const PER = 1_000_000;

/** The cost of a call; undefined when no price fits its model. */
export function costOf(
  prices: readonly Price[],
  model: string | undefined,
  usage: PricedUsage,
): number | undefined {
  if (model === undefined) return undefined;
  const price = prices.find((candidate) => fits(candidate.model, model));
  if (!price) return undefined;
  const { input, output, cachedInput = input } = price;
  const fresh = Math.max(0, usage.input - usage.cachedInput);
  return (fresh * input + usage.cachedInput * cachedInput + usage.output * output) / PER;
}

function fits(pattern: string, model: string): boolean {
  if (!pattern.endsWith('*')) return pattern === model;
  return model.startsWith(pattern.slice(0, -1));
}
