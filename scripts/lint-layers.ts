// The second fence: reads every import of the repository and holds it against the table in layers.ts.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { doors, rooms, rules } from './layers.ts';

const workspaces = ['server', 'electron', 'renderer', 'examples', 'e2e', 'scripts'];

export interface LayerReport {
  /** How many of our own files were read. */
  readonly modules: number;
  /** One sentence per forbidden import or unknown room. */
  readonly violations: readonly string[];
}

/** Cruises the workspaces below `baseDir` and reports every import the table of rooms forbids. */
export async function lintLayers(baseDir: string): Promise<LayerReport> {
  const present = workspaces.filter((folder) => existsSync(path.join(baseDir, folder)));
  if (present.length === 0) return { modules: 0, violations: [] };
  const { output } = await cruise(
    present,
    {
      baseDir,
      validate: true,
      ruleSet: { forbidden: [...rules] },
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '(^|/)(dist|\\.cache|\\.venv|native|python)/' },
    },
    { conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'] },
  );
  // Without an outputType the output is the result object; the union is for the text reporters.
  if (typeof output === 'string') throw new Error('dependency-cruiser returned text');
  const files = ownFiles(output);
  const broken = output.summary.violations.map(
    ({ rule, from, to, comment }) =>
      `${from} imports ${to} (${rule.name}${comment === undefined ? '' : `: ${comment}`})`,
  );
  return { modules: files.length, violations: [...broken, ...unknownRooms(files)] };
}

function ownFiles({ modules }: ICruiseResult): string[] {
  return modules
    .filter(({ coreModule, couldNotResolve }) => !coreModule && !couldNotResolve)
    .map(({ source }) => source)
    .filter((source) => !source.includes('node_modules/'));
}

function unknownRooms(files: readonly string[]): string[] {
  return files
    .filter((file) => {
      const [, entry] = /^server\/src\/([^/]+)/.exec(file) ?? [];
      if (entry === undefined || entry.replace('.test.ts', '.ts') in doors) return false;
      return !(entry in rooms && file.startsWith(`server/src/${entry}/`));
    })
    .map((file) => `${file} is in no known room`);
}

async function main(): Promise<void> {
  const { modules, violations } = await lintLayers(path.resolve(import.meta.dirname, '..'));
  for (const violation of violations) console.error(`✗ ${violation}`);
  // A fence that saw nothing holds nothing: this is what an unsupported TypeScript looks like.
  if (modules === 0) console.error('✗ no module was cruised');
  console.log(`${modules} modules, ${violations.length} forbidden imports`);
  process.exitCode = modules === 0 || violations.length > 0 ? 1 : 0;
}

if (import.meta.main) await main();
