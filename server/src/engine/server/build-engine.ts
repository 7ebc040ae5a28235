import { ServiceError } from '../../errors/service-error.ts';
import { buildGo, findGoBuild, GoBuildError } from '../../native/build-go.ts';
import {
  type BuildOptions,
  goPlatform,
  nativeProgram,
  programSources,
} from '../../native/native-program.ts';

/** The Go sources of the engine in a checkout. */
export function engineSources(checkout: string): string {
  return programSources(checkout, 'engine');
}

/** Finds an engine that was built from exactly these sources, with any Go version. */
export function findBuiltEngine(checkout: string): string | undefined {
  return findGoBuild(nativeProgram('engine', 'engine', { checkout }));
}

/** Builds the embedded engine, or finds the same build in the cache; returns the binary's path. */
export async function buildEngine(options: BuildOptions): Promise<string> {
  const { go, platform, signal, onProgress } = options;
  try {
    return await buildGo(nativeProgram('engine', 'engine', options), {
      ...(go !== undefined && { go }),
      environment: platform ? goPlatform(platform) : {},
      signal,
      onProgress,
    });
  } catch (error) {
    if (!(error instanceof GoBuildError)) throw error;
    throw new ServiceError('engine_unavailable', error.message, {
      details: { output: error.output },
    });
  }
}
