// The only file that knows where the service runs. Today that is a server somebody started by hand
// (`npm run dev:server`); starting it from here, in this process or another, changes this file alone.

export interface ServiceHost {
  /** Where the service answers. */
  readonly url: URL;
}

const defaultUrl = 'http://127.0.0.1:8090';

/** Names the running service the window talks to. Only loopback addresses are taken. */
export function findService(address: string = defaultUrl): ServiceHost {
  const url = new URL(address === '' ? defaultUrl : address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'http:' || !isLoopback) {
    throw new Error(`--service-url must be an http address of this machine, not ${address}`);
  }
  return { url };
}
