/** The first request is a small one: what says nothing sensible for so long is no debug adapter client. */
const MOST_OPENING_BYTES = 128 * 1024;

/** Whether a client begins with a whole message of the debug adapter protocol. */
export function opensDebugAdapter(said: Buffer): boolean | 'more' {
  const text = said.toString('latin1');
  const head = 'Content-Length: ';
  if (!text.startsWith(head.slice(0, text.length))) return false;
  if (!/^\d{0,5}(\r|$)/.test(text.slice(head.length))) return false; // the first request is a small one
  const start = text.indexOf('\r\n\r\n') + 4;
  const end = start + Number.parseInt(text.slice(head.length), 10);
  if (start < 4 || said.length < end) return said.length < MOST_OPENING_BYTES ? 'more' : false;
  try {
    JSON.parse(said.subarray(start, end).toString());
    return true;
  } catch {
    return false;
  }
}
