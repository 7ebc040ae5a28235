import type * as z from 'zod';

/** How a setting looks as a command-line flag. */
export interface SettingFlag {
  /** Without the dashes. */
  name: string;
  /** What stands for the value in the help; absent for a switch. */
  value?: string;
  /** A second name that means the same. */
  alias?: string;
  isRepeatable?: boolean;
}

/** One row of the configuration: where it may come from, what it takes and what it means. */
export interface Setting {
  /** Takes the raw value of any source; `undefined` gives the default. */
  schema: z.ZodType;
  description: string;
  flag?: SettingFlag;
  /** Relative paths are those of the working directory, in the YAML file those of the file's folder. */
  isPath?: boolean;
  /** A program: a path only when it has a separator, otherwise looked up in PATH. */
  isProgram?: boolean;
  /** Also taken from the file that `<variable>_FILE` or `<key>_file` names. */
  isSecret?: boolean;
  /** Another variable with the same meaning, known from elsewhere; ours weighs more. */
  standardVariable?: string;
  /** The part of the service that is not there yet: any value but the default is refused. */
  awaits?: string;
}

/** The environment variable of a key: `engine.run_restart.factor` is SERVICE_ENGINE_RUN_RESTART_FACTOR. */
export function variableOf(key: string): string {
  return `SERVICE_${key.replaceAll('.', '_').toUpperCase()}`;
}
