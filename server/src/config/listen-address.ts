/** Where to listen. Without a host it is every interface. */
export interface ListenAddress {
  host?: string;
  port: number;
}

/** Reads `host:port`, `[ipv6]:port` or `:port`; undefined when it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/i.exec(text.trim());
  if (match === null) return undefined;
  const host = match[1] ?? match[2] ?? '';
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  return host === '' ? { port } : { host, port };
}

/** True when only this machine can reach the address. */
export function isLoopback(address: ListenAddress): boolean {
  const host = address.host?.toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host ?? '');
}
