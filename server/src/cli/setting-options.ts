import { Option, type Command } from 'commander';
import { ServiceError } from '../errors/service-error.ts';
import type { SettingFlag } from '../config/settings/setting.ts';
import { settingEntries, type SettingKey } from '../config/settings/settings.ts';

interface OfferedOption {
  key: SettingKey;
  /** The option's name in commander's values. */
  attribute: string;
}

/** The flags that the settings table defines for a command. */
export interface SettingOptions {
  /** Converts `--flag=false`, as the specification writes it, into commander's form. */
  normalize(argv: readonly string[]): string[];
  /** The given values by setting key. */
  read(command: Command): Map<string, unknown>;
}

function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function makeOption(flag: SettingFlag, name: string): Option {
  return new Option(flag.value === undefined ? `--${name}` : `--${name} ${flag.value}`);
}

/** Adds the flags of the settings table to a command, except those that it excludes. */
export function addSettingOptions(
  command: Command,
  leftOut: ReadonlySet<SettingKey> = new Set(),
): SettingOptions {
  const offered: OfferedOption[] = [];
  const switches = new Set<string>();
  for (const [key, { flag, description, awaits }] of settingEntries()) {
    if (flag === undefined || leftOut.has(key)) continue;
    const option = makeOption(flag, flag.name);
    option.description = description;
    if (flag.isRepeatable === true) option.argParser(collect);
    option.helpGroup(awaits === undefined ? 'Options:' : 'Not available yet:');
    command.addOption(option);
    offered.push({ key, attribute: option.attributeName() });
    if (flag.alias !== undefined) {
      const alias = makeOption(flag, flag.alias).hideHelp();
      command.addOption(alias);
      offered.push({ key, attribute: alias.attributeName() });
    }
    if (flag.value === undefined) {
      command.addOption(new Option(`--no-${flag.name}`).hideHelp());
      switches.add(flag.name);
    }
  }

  return {
    normalize: (argv) =>
      argv.map((argument) => {
        const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(argument) ?? [];
        if (name === undefined || !switches.has(name)) return argument;
        if (value === 'true' || value === 'false') {
          return value === 'true' ? `--${name}` : `--no-${name}`;
        }
        throw new ServiceError('config_invalid', `--${name} takes true or false, not "${value}".`);
      }),
    read: (parsed) => {
      const flags = new Map<string, unknown>();
      for (const { key, attribute } of offered) {
        const value: unknown = parsed.getOptionValue(attribute);
        if (parsed.getOptionValueSource(attribute) === 'cli') flags.set(key, value);
      }
      return flags;
    },
  };
}
