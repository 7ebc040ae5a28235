import type * as z from 'zod';

/** A setting as a command-line flag. */
export interface SettingFlag {
  /** Without the dashes. */
  name: string;
  /** Placeholder of the value in the help; absent for a switch. */
  value?: string;
  /** A second name with the same meaning. */
  alias?: string;
  isRepeatable?: boolean;
}

/** One row of the configuration: its sources, its values and its meaning. */
export interface Setting {
  /** Parses the raw value of any source; `undefined` results in the default. */
  schema: z.ZodType;
  description: string;
  flag?: SettingFlag;
  /** Relative paths start at the working directory; in the YAML file, at the file's folder. */
  isPath?: boolean;
  /** A program: a path only when it has a separator, otherwise looked up in PATH. */
  isProgram?: boolean;
  /** Also read from the file that `<variable>_FILE` or `<key>_file` names. */
  isSecret?: boolean;
  /** A common variable with the same meaning; our own variable has precedence. */
  standardVariable?: string;
  /** The part of the service that does not exist yet: any value but the default is refused. */
  awaits?: string;
}

/** The environment variable of a key: `engine.run_restart.factor` is SERVICE_ENGINE_RUN_RESTART_FACTOR. */
export function variableOf(key: string): string {
  return `SERVICE_${key.replaceAll('.', '_').toUpperCase()}`;
}
