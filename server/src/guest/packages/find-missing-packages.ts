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
