/** What no calendar shows is shown as the zero time of the wire. */
export const ZERO_TIME = '0001-01-01T00:00:00Z';

const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** A time on the wire. Never throws: one stored value that is odd must not cost anybody a whole list. */
export function isoTime(milliseconds: number): string {
  const isShown = milliseconds >= EARLIEST && milliseconds <= LATEST;
  return isShown ? new Date(milliseconds).toISOString() : ZERO_TIME;
}
