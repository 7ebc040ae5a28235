import type { RunId } from '../../model/ids.ts';
import type { GuestPlaces } from '../process/guest-directory.ts';
import type { GuestProgram } from '../pool/guest-program.ts';
import { EGRESS_PORT, egressEnvironment, type EgressGuestConfig } from './egress-environment.ts';

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
