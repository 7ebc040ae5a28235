import { Cron } from 'croner';
import { ServiceError } from '../errors/service-error.ts';

/** When something happens again and again. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  schedule: string;
  timezone?: string;
  endTime?: number;
}

const fiveFields = /^\s*\S+(?:\s+\S+){4}\s*$/;
const nickname = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** `invalid_request` when it cannot be read, or names no time at all. */
export function requireSchedule({ schedule, timezone }: Schedule): void {
  if (timezone !== undefined && !isTimezone(timezone)) {
    throw refused('timezone', `must be a time zone of IANA, as Europe/Berlin, not ${timezone}`);
  }
  if (!fiveFields.test(schedule) && !nickname.test(schedule)) {
    throw refused('schedule', 'must have five fields: minute, hour, day, month, day of the week');
  }
  let next: Date | null;
  try {
    next = times({ schedule }).nextRun();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'none';
    throw refused('schedule', `is no cron schedule: ${reason.replace(/\.$/, '')}`);
  }
  if (!next) throw refused('schedule', 'names no time, as the 30th of February');
}

/**
 * The first time after `after`. A local time that a change of the clocks leaves out counts as the first one behind it,
 * and one that comes twice counts once, unless the schedule has every hour.
 */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  const next = times(schedule).nextRun(new Date(after))?.getTime();
  const { endTime } = schedule;
  if (next === undefined || (endTime !== undefined && next > endTime)) return undefined;
  return next;
}

/** The newest time that has come by `now`, of those from `planned` on, which is one of them. */
export function newestTime(schedule: Schedule, planned: number, now: number): number {
  const runs = times(schedule);
  const limit = Math.min(now, schedule.endTime ?? now);
  // Counted forwards from a little before it, so that each time is the one that `nextTime` names.
  const before = runs.previousRuns(3, new Date(limit)).at(-1);
  let newest = planned;
  let time: Date | null | undefined = before && new Date(before.getTime() - 1);
  while (time && (time = runs.nextRun(time)) && time.getTime() <= limit) {
    newest = Math.max(newest, time.getTime());
  }
  return newest;
}

function times({ schedule, timezone = 'UTC' }: Schedule): Cron {
  return new Cron(schedule, { mode: '5-part', timezone });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function refused(path: string, message: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${message}.`, {
    details: { issues: [{ path, message }] },
  });
}
