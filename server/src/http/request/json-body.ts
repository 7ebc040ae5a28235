import type { Request, RequestHandler } from 'express';
import { ServiceError } from '../../errors/service-error.ts';
import type { JsonText } from '../../model/json.ts';
import { scanObject } from '../response/raw-members.ts';
import { hasBody, readBody } from './request-body.ts';

/** A parsed body, and its top-level members as they were sent. */
export interface JsonBody {
  value: Record<string, unknown>;
  members: ReadonlyMap<string, JsonText>;
}

/** Python's JSON reader fails at about 1,000 levels; legitimate bodies are far below this. */
export const MAX_BODY_DEPTH = 500;

const decoder = new TextDecoder('utf-8', { fatal: true });
const noBody: JsonBody = { value: {}, members: new Map() };

/** Reads bodies of up to `limitBytes` into memory; the media type is checked before a byte is read. */
export function createBodyReader(limitBytes: number): RequestHandler {
  return async (req, _res, next) => {
    if (hasBody(req)) {
      requireJson(req);
      req.body = await readBody(req, limitBytes);
    }
    next();
  };
}

/** The JSON object in the body; empty when there is no body. Throws `invalid_request` for anything else. */
export function jsonBody(req: Request, { takesList = false } = {}): JsonBody {
  const raw: unknown = req.body;
  if (!(raw instanceof Uint8Array) || raw.length === 0) return noBody;
  const given = decode(raw);
  // Wrapped as text, because the members are scanned from it; a body that is not an array is rejected later.
  return jsonObject(takesList ? `{"items":${given}}` : given);
}

/** The JSON object that a client sent as text, checked as a body is. */
export function jsonObject(text: string): JsonBody {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody('The body must be a JSON object.');
  }
  const { members, depth } = scanObject(text);
  if (depth > MAX_BODY_DEPTH) {
    throw invalidBody(`The body is nested deeper than ${MAX_BODY_DEPTH} levels.`);
  }
  return { value: value as Record<string, unknown>, members }; // an object, as checked above
}

function requireJson(req: Request): void {
  const [mediaType, ...parameters] = (req.headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => parameter.trim().toLowerCase())
    .find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (mediaType?.trim().toLowerCase() === 'application/json' && isUtf8) return;
  throw new ServiceError('unsupported_media_type', 'Bodies are application/json in UTF-8.');
}

function decode(raw: Uint8Array): string {
  try {
    return decoder.decode(raw);
  } catch (error) {
    throw invalidBody('The body is not valid UTF-8.', error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidBody('The body is not valid JSON.', error);
  }
}

function invalidBody(message: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', message, {
    details: { issues: [{ path: '', message }] },
    ...(cause === undefined ? {} : { cause }),
  });
}
