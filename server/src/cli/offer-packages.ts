import type { AgentPackages } from '../compose/agent-packages.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { CommandOutput, Terminal } from './terminal.ts';

/** Looks for the packages of an agent folder; `agent-packages.ts` has it. */
export type FindPackages = (config: ServiceConfig, signal: AbortSignal) => Promise<AgentPackages[]>;

/** How what is missing is offered. */
export interface Offer {
  /** `--install`: without asking. */
  isWanted: boolean;
  output: CommandOutput;
  /** Absent in headless use: then nobody is asked, and what is missing is a warning. */
  terminal?: Terminal;
  signal: AbortSignal;
}

/** Installs the packages that are missing when the user says so, and otherwise says what is missing. */
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
