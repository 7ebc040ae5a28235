/** Wire value for times outside the calendar's range. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';

const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A time on the wire. Never throws: one odd stored value must not make a whole list fail. */
export function isoTime(milliseconds: number): string {
  const isShown = milliseconds >= EARLIEST && milliseconds <= LATEST;
  return isShown ? new Date(milliseconds).toISOString() : ZERO_TIME;
}
