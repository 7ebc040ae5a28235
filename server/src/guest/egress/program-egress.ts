import type { RunId } from '../../model/ids.ts';
import type { GuestPlaces } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';

/** The proxy of an installation that has these index settings. */
export type InstallerEgress = (indexSettings: Readonly<Record<string, string>>) => OpenEgress;

/**
 * The port on the loopback of the sandbox where the guest's forwarder listens. It can be a fixed one because that
 * loopback is the sandbox's own, and has to be: Node decides at its start whether `fetch` uses a proxy.
 */
const EGRESS_PORT = 3128;

/**
 * What a guest with a proxy has in its environment, behind everything that the manifest and the env files say: no
 * other way leads out. `ALL_PROXY` is HTTP as well: with a SOCKS one, httpx fails without a further package.
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

/** What the guest's config file says, for the forwarder. */
interface EgressGuestConfig {
  /** The proxy's socket, as it is seen inside of the sandbox. */
  readonly egress_socket: string;
  readonly egress_port: number;
}

/** Opens a proxy on this socket, for a program that has these runs at the moment. */
export type OpenEgress = (
  socketPath: string,
  runsOf: () => readonly RunId[],
) => Promise<{ close(): Promise<void> }>;

/** The program with its way to the proxy: it starts the forwarder by itself, from its config. */
export function withEgress(program: GuestProgram, { egressSocket }: GuestPlaces): GuestProgram {
  const config: EgressGuestConfig = { egress_socket: egressSocket, egress_port: EGRESS_PORT };
  return {
    ...program,
    environment: { ...program.environment, ...egressEnvironment() },
    config: { ...program.config, ...config },
  };
}
