/** Reads `kind=note size=3` as the members that an item's metadata must have; undefined when it is no filter. */
export function metadataFilter(text: string): Record<string, unknown> | undefined {
  const filter: Record<string, unknown> = {};
  for (const word of text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const at = word.indexOf('=');
    if (at < 1) return undefined;
    filter[word.slice(0, at)] = value(word.slice(at + 1));
  }
  return filter;
}

/** Numbers, true, false, null and quoted texts are themselves; anything else is text. */
function value(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
