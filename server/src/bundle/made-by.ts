import { hostname, userInfo } from 'node:os';
import type { Principal } from '../model/principal.ts';
import { MADE_BY_LENGTH, type MadeBy } from './bundle-record.ts';

/** Who exports over HTTP. Never the machine's names: a client of a service is not told where it runs. */
export function madeByPrincipal({ sub, claims }: Principal): MadeBy {
  const { iss } = claims;
  return bounded({ sub, ...(typeof iss === 'string' && { issuer: iss }) });
}

/** Who exports on the command line: the user of the operating system and the machine. */
export function madeByUser(): MadeBy {
  return bounded({ ...userName(), host: hostname() });
}

/** Containers may run as a number that has no name. */
function userName(): { user?: string } {
  try {
    return { user: userInfo().username };
  } catch {
    return {};
  }
}

/** What is longer is cut: a long name is no reason to refuse an export. */
function bounded(madeBy: MadeBy): MadeBy {
  const members = Object.entries(madeBy).map(([name, text]) => [
    name,
    // Not half of a character at its end.
    text.slice(0, MADE_BY_LENGTH).replace(/[\uD800-\uDBFF]$/, ''),
  ]);
  return Object.fromEntries(members) as MadeBy; // the same members
}
