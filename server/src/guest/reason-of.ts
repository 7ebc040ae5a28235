/** What went wrong, in words that may reach a client: what the system says of a file or socket, without its path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  if (!('code' in error && 'syscall' in error)) return message;
  // `ENOSPC: no space left on device, mkdir '/home/ada'`, `connect ENOENT /run/a.sock`, `spawn /opt/runsc EACCES`
  const [, words] = /^([A-Z]+\d*: [^,']*)/.exec(message) ?? [];
  return words ?? `${String(error.syscall).split(' ')[0]} ${String(error.code)}`;
}
