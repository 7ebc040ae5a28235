import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonText } from '../model/json.ts';

type Operator = (value: unknown, operand: unknown) => boolean;

const operators = new Map<string, Operator>([
  ['$eq', isDeepStrictEqual],
  ['$ne', (value, operand) => !isDeepStrictEqual(value, operand)],
  ['$gt', (value, operand) => compare(value, operand) > 0],
  ['$gte', (value, operand) => compare(value, operand) >= 0],
  ['$lt', (value, operand) => compare(value, operand) < 0],
  ['$lte', (value, operand) => compare(value, operand) <= 0],
]);

/**
 * LangGraph's filter on the members of a value: a value to equal, or operators (`{"$gt": 1}`). Throws `invalid_request`
 * for an invalid filter.
 */
export function storeFilter(json: string): (value: JsonText) => boolean {
  const filter: unknown = JSON.parse(json);
  if (!isObject(filter)) throw new ServiceError('invalid_request', 'The filter is not an object.');
  check(filter);
  return (text) => {
    const value: unknown = JSON.parse(text);
    return isObject(value) && hasAll(value, filter);
  };
}

function check(filter: unknown): void {
  if (!isObject(filter)) return;
  for (const [name, inner] of Object.entries(filter)) {
    if (name.startsWith('$') && !operators.has(name)) {
      const known = [...operators.keys()].join(', ');
      const message = `The filter's operator ${name} is not one of ${known}.`;
      throw new ServiceError('invalid_request', message);
    }
    check(inner);
  }
}

function hasAll(value: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([name, wanted]) => fits(value[name], wanted));
}

function fits(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return isDeepStrictEqual(value, wanted);
  const names = Object.keys(wanted);
  if (names.some((name) => operators.has(name))) {
    return names.every((name) => operators.get(name)?.(value, wanted[name]) ?? false);
  }
  return isObject(value) && hasAll(value, wanted);
}

/** NaN, which is neither more nor less, when the two are not comparable. */
function compare(value: unknown, operand: unknown): number {
  if (typeof value === 'string' && typeof operand === 'string') {
    return value < operand ? -1 : Number(value > operand);
  }
  if (!isNumeric(value) || !isNumeric(operand)) return Number.NaN;
  return Number(value) - Number(operand);
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}
