/** A channel version's key in its namespace. */
export function blobKey(channel: string, version: string): string {
  return `${channel}\n${version}`;
}

/** What a key is made of. A channel may be called anything; versions are made by LangGraph and have no line break. */
export function placeOfKey(key: string): { channel: string; version: string } {
  const cut = key.lastIndexOf('\n');
  return { channel: key.slice(0, cut), version: key.slice(cut + 1) };
}

/** The key of writes whose checkpoint has not come. */
export function earlyKey(ns: string, id: string): string {
  return `${ns}\n${id}`;
}
