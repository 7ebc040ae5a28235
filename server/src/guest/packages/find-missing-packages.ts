/*
 * Packages of agents (`guest/packages/`, composed by `agent-packages.ts`): before a start the command line and the
 * desktop's service process ask what the folder names and nobody has installed. Finding changes nothing and asks no
 * registry; installing runs the commands that were shown, in a process group that ends with the start.
 *
 * A marker file beside the environment says that one is being made: what was cut off is made anew, and nothing else is
 * ever removed.
 */
import { javascriptPackages } from './javascript-packages.ts';
import type { MissingPackages, PackagesQuestion } from './missing-packages.ts';
import { pythonPackages } from './python-packages.ts';

/** The packages that the agent folder names and that are not installed. It changes nothing and asks no registry. */
export async function findMissingPackages(
  question: PackagesQuestion,
): Promise<readonly MissingPackages[]> {
  const [python, javascript] = await Promise.all([
    pythonPackages(question),
    javascriptPackages(question),
  ]);
  return [...python, ...javascript];
}
