import type { AgentPackages } from '../compose/agent-packages.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { CommandOutput, Terminal } from './terminal.ts';

/** Checks the packages of an agent folder; implemented in `agent-packages.ts`. */
export type FindPackages = (config: ServiceConfig, signal: AbortSignal) => Promise<AgentPackages[]>;

/** How to offer the installation of missing parts. */
export interface Offer {
  /** `--install`: without a prompt. */
  isWanted: boolean;
  output: CommandOutput;
  /** Absent in headless use: then there is no prompt, and missing packages are a warning. */
  terminal?: Terminal;
  signal: AbortSignal;
}

/** Installs the missing packages if the user agrees, and otherwise reports them. */
export async function offerPackages(
  config: ServiceConfig,
  find: FindPackages,
  offer: Offer,
): Promise<void> {
  for (const packages of await find(config, offer.signal)) {
    const { because, command, needs } = packages;
    if (command === undefined) {
      offer.output.progress(`Warning: ${because} ${needs ?? ''}`);
    } else if (offer.isWanted || (await agrees(because, command, offer.terminal))) {
      offer.output.progress(`${because} Installing: ${command}`);
      await packages.install((line) => offer.output.progress(`  ${line}`));
    } else {
      const how =
        offer.terminal === undefined ? ` Start with --install to have it done: ${command}` : '';
      offer.output.progress(`Warning: ${because}${how}`);
    }
  }
}

async function agrees(
  because: string,
  command: string,
  terminal: Terminal | undefined,
): Promise<boolean> {
  if (terminal === undefined) return false;
  terminal.say(`${because} This installs them:\n  ${command}`);
  const answer = await terminal.ask('Install now? [Y/n] ');
  if (answer === undefined)
    throw new ServiceError('config_invalid', 'The question about the packages was not answered.');
  return /^(y|yes|)$/i.test(answer.trim());
}
