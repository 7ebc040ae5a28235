/**
 * What stays the same for an image of agents when it is made anew: its name without tag and digest, as registries have it.
 * Threads of `agents:1` go on with `agents:2`.
 */
export function imageIdentity(reference: string): string {
  const [named = reference] = reference.split('@', 1);
  const last = named.lastIndexOf('/') + 1;
  const [name = ''] = named.slice(last).split(':', 1);
  return `image/${named.slice(0, last)}${name}`;
}
