// The messages of guest.proto as TypeScript types, as proto-loader hands them over: the host reads the contract with other
// options than the JavaScript guest. Types alone: what is sent is encoded by the contract itself, which is read at the start.
import protobuf from 'protobufjs';

import { guestProtoPath } from '../server/src/guest/wire/proto.ts';

const HEAD = '// Made by `npm run generate` from server/proto/guest/v1/guest.proto.\n';

/** Of the services, those that the host calls; it serves the others. */
const GUEST_SERVICE = 'Agents';

/** How one side has them. */
interface Form {
  keepCase: boolean;
  nameOf: (message: string) => string;
  /** The type of a member, and whether it may be absent. */
  memberOf: (field: protobuf.Field, type: string) => { type: string; isOptional: boolean };
}

/**
 * As the host has them (`longs: Number`, `arrays`, no `defaults`): of a message that it receives every member at its default
 * is absent. What it sends is complete, so that a new member is not forgotten.
 */
export function hostMessages(): string {
  const { types, services } = load(true);
  const received = new Set<protobuf.Type>();
  for (const service of services) {
    for (const method of service.methodsArray) {
      const isCalled = service.name === GUEST_SERVICE;
      reach(isCalled ? method.resolvedResponseType : method.resolvedRequestType, received);
    }
  }
  const nameOf = (message: string): string => `${message}Message`;
  return render(types, {
    keepCase: true,
    nameOf,
    memberOf(field, type) {
      if (field.repeated) return { type: `${type}[]`, isOptional: false };
      const isComplete = field.parent instanceof protobuf.Type && !received.has(field.parent);
      const isScalar = field.resolvedType === null && field.partOf === null;
      return { type, isOptional: !(isComplete && isScalar) };
    },
  });
}

/** Names that are others' in the JavaScript guest: JavaScript's and LangGraph's. */
const taken = new Set(['Error', 'Checkpoint', 'Writes', 'HttpRequest', 'HttpResponse']);

/** As the JavaScript guest has them (camelCase, `longs: Number`, `arrays`, `defaults`, `oneofs`). */
export function javascriptGuestMessages(): string {
  return render(load(false).types, {
    keepCase: false,
    nameOf: (message) => (taken.has(message) ? `${message}Message` : message),
    memberOf(field, type) {
      if (field.repeated) return { type: `${type}[]`, isOptional: false };
      if (field.partOf !== null) return { type, isOptional: true };
      const isMessage = field.resolvedType !== null;
      return { type: isMessage ? `${type} | null` : type, isOptional: false };
    },
  });
}

function load(keepCase: boolean): { types: protobuf.Type[]; services: protobuf.Service[] } {
  const root = new protobuf.Root();
  root.loadSync(guestProtoPath, { keepCase, alternateCommentMode: true });
  root.resolveAll();
  const { nestedArray } = root.lookup('agentruntime.guest.v1') as protobuf.Namespace; // the contract's package
  return {
    types: nestedArray.filter((one) => one instanceof protobuf.Type),
    services: nestedArray.filter((one) => one instanceof protobuf.Service),
  };
}

function reach(type: protobuf.Type | null, found: Set<protobuf.Type>): void {
  if (type === null || found.has(type)) return;
  found.add(type);
  for (const { resolvedType } of type.fieldsArray) {
    if (resolvedType instanceof protobuf.Type) reach(resolvedType, found);
  }
}

function render(types: readonly protobuf.Type[], form: Form): string {
  return [HEAD, ...types.map((type) => interfaceOf(type, form))].join('\n');
}

function interfaceOf(type: protobuf.Type, { nameOf, memberOf, keepCase }: Form): string {
  const members = type.fieldsArray.map((field) => {
    const { type: text, isOptional } = memberOf(field, typeOf(field, nameOf));
    return `${doc(field.comment)}${field.name}${isOptional ? '?' : ''}: ${text};\n`;
  });
  // With `oneofs`, which of its members is set.
  const choices = keepCase ? [] : type.oneofsArray.filter(({ name }) => !name.startsWith('_'));
  const names = choices.map(({ name, fieldsArray }) => {
    return `${name}?: ${fieldsArray.map((field) => `'${field.name}'`).join(' | ')};\n`;
  });
  const body = [...members, ...names].join('');
  const name = nameOf(type.name);
  return body === ''
    ? `${doc(type.comment)}export type ${name} = Record<string, never>;\n`
    : `${doc(type.comment)}export interface ${name} {\n${body}}\n`;
}

function doc(comment: string | null): string {
  return comment ? `/** ${comment.replaceAll(/\s*\n\s*/g, ' ').replaceAll('*/', '* /')} */\n` : '';
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  bytes: 'Uint8Array',
  bool: 'boolean',
  double: 'number',
  sint32: 'number',
  uint32: 'number',
  uint64: 'number',
};

function typeOf(field: protobuf.Field, nameOf: Form['nameOf']): string {
  if (field.resolvedType) return nameOf(field.resolvedType.name);
  const scalar = scalars[field.type];
  if (scalar === undefined)
    throw new Error(`guest.proto: no TypeScript type is known for ${field.type}`);
  return scalar;
}
