import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { REGO_MEMORY_CEILING_BYTES } from '../../model/limits/rego-limits.ts';
import { buildGo, findGoBuild, GoBuildError, type GoProgram } from '../../native/build-go.ts';
import { findGoRoot, linkedLicences } from '../../native/linked-licences.ts';
import { boundMemory } from './bound-memory.ts';

/** The files of a build, which are shipped unchanged. The first exists only when all do. */
export const evaluatorFiles = ['policy.wasm.gz', 'wasm_exec.js', 'LICENSES.txt'] as const;
const [wasmFile, starterFile, licencesFile] = evaluatorFiles;

const goEnvironment = { GOOS: 'js', GOARCH: 'wasm' };

export interface EvaluatorBuildOptions {
  /** The folder of the source checkout. */
  checkout: string;
  /** The command of the Go toolchain, normally from PATH. */
  go?: string;
  signal: AbortSignal;
  onProgress: (message: string) => void;
}

function evaluatorProgram(checkout: string): GoProgram {
  return {
    name: 'policy evaluator',
    sources: path.join(checkout, 'server/native/policy'),
    builds: path.join(checkout, '.cache/native'),
    file: wasmFile,
  };
}

/** The folder of an evaluator built from exactly these sources, with any version of Go. */
export function findBuiltEvaluator(checkout: string): string | undefined {
  const file = findGoBuild(evaluatorProgram(checkout));
  return file === undefined ? undefined : path.dirname(file);
}

/** Builds the policy evaluator, or finds the same build in the cache; returns its folder. Throws GoBuildError. */
export async function buildEvaluator(options: EvaluatorBuildOptions): Promise<string> {
  const { checkout, go = 'go', signal, onProgress } = options;
  const program = evaluatorProgram(checkout);
  const file = await buildGo(program, {
    go,
    environment: goEnvironment,
    async finish({ linked, half, folder }) {
      const goRoot = await findGoRoot(go, program.sources, signal);
      copyFileSync(starterOf(goRoot), path.join(folder, starterFile));
      const { sources } = program;
      const texts = { go, sources, environment: goEnvironment, goRoot, signal };
      writeFileSync(path.join(folder, licencesFile), await linkedLicences(texts));
      const module = boundMemory(readFileSync(linked), REGO_MEMORY_CEILING_BYTES);
      writeFileSync(half, gzipSync(module));
    },
    signal,
    onProgress,
  });
  return path.dirname(file);
}

/** Go 1.24 moved the file. */
function starterOf(goRoot: string): string {
  const found = ['lib/wasm', 'misc/wasm']
    .map((folder) => path.join(goRoot, folder, starterFile))
    .find((file) => existsSync(file));
  if (found === undefined) throw new GoBuildError(`There is no ${starterFile} in ${goRoot}`);
  return found;
}
