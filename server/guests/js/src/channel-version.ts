const numberWidth = 10;
const suffixWidth = 8;
const suffixes = 36 ** suffixWidth;

/**
 * The version after `current`: a zero-padded number, so that LangGraph's comparisons of text sort it, and a
 * random suffix, so that two attempts or two forks of a thread never give one name to different values.
 */
export function nextChannelVersion(current: string | number | undefined): string {
  const number = current === undefined ? 0 : parseInt(String(current), 10);
  const suffix = Math.floor(Math.random() * suffixes).toString(36);
  return `${String(number + 1).padStart(numberWidth, '0')}.${suffix.padStart(suffixWidth, '0')}`;
}

/** The higher of two versions, by their numbers. */
export function higherVersion<T extends string | number>(a: T, b: T): T {
  return parseInt(String(b), 10) > parseInt(String(a), 10) ? b : a;
}
