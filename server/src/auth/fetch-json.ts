/** How long an answer of the issuer may take, and how large it may be. */
const TIME_LIMIT_MS = 5_000;
const SIZE_LIMIT = 512 * 1024;

/** Gets a JSON document, within the limits and without following redirects; rejects with a reason to log. */
export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > SIZE_LIMIT) throw new Error(`${url} answered more than ${SIZE_LIMIT} bytes`);
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}
