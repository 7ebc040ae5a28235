import type { RunId } from '../../model/ids.ts';
import type { GuestPaths } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';

/** Opens the proxy of an installation with these index settings. */
export type InstallerEgress = (indexSettings: Readonly<Record<string, string>>) => OpenEgress;

/**
 * The port on the loopback of the sandbox where the guest's forwarder listens. It can be fixed because each sandbox has
 * its own loopback, and it must be: Node decides at its start whether `fetch` uses a proxy.
 */
const EGRESS_PORT = 3128;

/**
 * The environment of a guest with a proxy, which overrides the manifest and the env files: there is no other network
 * access. `ALL_PROXY` is HTTP too: with a SOCKS one, httpx fails without a further package.
 */
export function egressEnvironment(port: number = EGRESS_PORT): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const own = 'localhost,127.0.0.1,::1';
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: own },
    // Programs differ in which they read.
    ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: own },
    NODE_USE_ENV_PROXY: '1',
  };
}

/** The forwarder's entries in the guest's config file. */
interface EgressGuestConfig {
  /** The path of the proxy's socket inside of the sandbox. */
  readonly egress_socket: string;
  readonly egress_port: number;
}

/** Opens a proxy on this socket, for a program with these current runs. */
export type OpenEgress = (
  socketPath: string,
  runsOf: () => readonly RunId[],
) => Promise<{ close(): Promise<void> }>;

/** The program with access to the proxy: it starts the forwarder itself, from its config. */
export function withEgress(program: GuestProgram, { egressSocket }: GuestPaths): GuestProgram {
  const config: EgressGuestConfig = { egress_socket: egressSocket, egress_port: EGRESS_PORT };
  return {
    ...program,
    environment: { ...program.environment, ...egressEnvironment() },
    config: { ...program.config, ...config },
  };
}
