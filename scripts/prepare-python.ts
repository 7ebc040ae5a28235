// Makes the Python environments of the tests, each once: `node scripts/prepare-python.ts tests contract`.
import path from 'node:path';
import { preparePython } from './python-env.ts';
import { compareFolder, contractFolder, pythonFolder, root } from './suites.ts';

const environments: Readonly<Record<string, { folder: string; requirements: string }>> = {
  tests: { folder: pythonFolder, requirements: 'server/guests/python/requirements-dev.txt' },
  contract: { folder: contractFolder, requirements: 'server/test/contract/requirements.txt' },
  compare: { folder: compareFolder, requirements: 'server/test/compare/requirements.txt' },
};

for (const name of process.argv.slice(2)) {
  const environment = environments[name];
  if (environment === undefined) throw new Error(`There is no environment called ${name}.`);
  const { folder, requirements } = environment;
  preparePython({ folder, requirements: [path.join(root, requirements)] });
}
