import { findOnPath } from './executable.ts';
import { runCommand, type CommandOptions } from './run-command.ts';

/** Installs Python packages: with uv if available, else with the interpreter's own pip, else with another one. */
export interface PythonInstaller {
  name: 'uv' | 'pip';
  install(args: readonly string[]): Promise<void>;
}

/** The installer for this interpreter; undefined when there is neither uv nor pip. */
export async function findInstaller(
  python: string,
  options: CommandOptions,
): Promise<PythonInstaller | undefined> {
  const uv = await findOnPath('uv', options.environment);
  if (uv !== undefined) {
    // Without --compile-bytecode every start compiles again if PYTHONDONTWRITEBYTECODE is set.
    const fixed = ['pip', 'install', '--compile-bytecode', '--python', python];
    return installer('uv', uv, fixed, options);
  }
  const quiet = [
    '--progress-bar',
    'off',
    '--disable-pip-version-check',
    '--no-input',
    '--no-warn-script-location',
  ];
  if (await hasPip(python, options)) {
    return installer('pip', python, ['-m', 'pip', 'install', ...quiet], options);
  }
  // An environment made by uv has no pip.
  const other = await findOnPath('python3', options.environment);
  if (other === undefined || !(await hasPip(other, options))) return undefined;
  return installer('pip', other, ['-m', 'pip', '--python', python, 'install', ...quiet], options);
}

function installer(
  name: PythonInstaller['name'],
  command: string,
  fixed: readonly string[],
  options: CommandOptions,
): PythonInstaller {
  return {
    name,
    install: async (args) => {
      await runCommand(command, [...fixed, ...args], options);
    },
  };
}

async function hasPip(python: string, options: CommandOptions): Promise<boolean> {
  const { environment, workingDirectory, signal } = options;
  try {
    const quietly = { environment, workingDirectory, signal };
    await runCommand(python, ['-m', 'pip', '--version'], quietly);
    return true;
  } catch {
    return false;
  }
}
