import { effectiveSettings, type EffectiveSetting } from '../config/effective-settings.ts';
import type { ConfigRequest } from '../config/load-config.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import type { CommandOutput } from './terminal.ts';

/** Longer values, such as certificates as data, are cut. */
const LONGEST_VALUE = 60;

function valueText({ value }: EffectiveSetting): string {
  if (value === null || value === '') return '-';
  const text = Array.isArray(value) ? value.join(',') : String(value);
  if (text === '') return '-';
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** Prints every setting with its value and its source; as JSON for programs. */
export function printConfig(request: {
  config: ConfigRequest;
  output: CommandOutput;
  isJson: boolean;
}): ExitCode {
  const { output, isJson } = request;
  const { settings, warnings } = effectiveSettings(request.config);
  for (const warning of warnings) output.progress(`Warning: ${warning}`);
  if (isJson) {
    output.out(JSON.stringify(settings, undefined, 2));
    return exitCode.completed;
  }
  const rows = settings.map((setting) => [
    setting.key,
    valueText(setting),
    setting.from ?? setting.source,
  ]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    output.out(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
  return exitCode.completed;
}
