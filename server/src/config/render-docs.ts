import * as z from 'zod';
import { variableOf, type Setting } from './settings/setting.ts';
import { settingEntries } from './settings/settings.ts';

const intro = `# Configuration

Made from \`server/src/config/settings\` by \`npm run generate\`; do not edit.

Every setting has a key in the YAML file that \`--config\` or \`SERVICE_CONFIG_FILE\` names, and an environment
variable; some have a flag. The order is flag, environment, file, default. Unknown keys are refused.
Durations are written \`500ms\`, \`30s\`, \`1h30m\` or as seconds; sizes \`512Mi\`, \`1Gi\` or as bytes.
Settings marked _secret_ can also be given as a file: \`<VARIABLE>_FILE\`, or \`<key>_file\` in the YAML file.
Settings marked _not yet_ are checked, and refused with a sentence when they are used.
Relative paths start at the working directory, in the YAML file at its folder.
`;

function defaultOf(setting: Setting): string {
  if (!(setting.schema instanceof z.ZodPrefault)) return '';
  const value = String(setting.schema.def.defaultValue);
  return value === '' ? '' : `\`${value}\``;
}

function flagOf({ flag }: Setting): string {
  if (flag === undefined) return '';
  const value = flag.value === undefined ? '' : ` ${flag.value}`;
  const alias = flag.alias === undefined ? '' : `, \`--${flag.alias}\``;
  return `\`--${flag.name}${value}\`${alias}`;
}

function row(key: string, setting: Setting): string {
  const marks = [setting.isSecret === true ? 'secret' : '', setting.awaits ? 'not yet' : ''];
  const shownMarks = marks.filter((mark) => mark !== '').map((mark) => ` _${mark}_`);
  const description = `${setting.description}${shownMarks.join('')}`.replaceAll('|', '\\|');
  const standard = setting.standardVariable;
  const variables = [variableOf(key), ...(standard === undefined ? [] : [standard])];
  const shownVariables = variables.map((name) => `\`${name}\``).join(', ');
  return `| \`${key}\` | ${flagOf(setting)} | ${shownVariables} | ${defaultOf(setting)} | ${description} |`;
}

/** The text of docs/config.md, generated from the settings table. */
export function renderConfigDocs(): string {
  const rows = settingEntries().map(([key, setting]) => row(key, setting));
  const head = '| Key | Flag | Variable | Default | Meaning |\n|---|---|---|---|---|';
  return `${intro}\n${head}\n${rows.join('\n')}\n`;
}
