/*
 * A foreign cluster is checked and never changed (`engine/client/foreign-cluster.ts`), and queries of one thread run
 * one after the other there. Both connections, the client's and the worker's, carry the same credentials
 * (`connection.ts`).
 *
 * The SDK retries for 10 s and names no reason when TLS fails, so a second handshake of our own determines the reason
 * meanwhile (`tls-refusal.ts`); its result counts only when TLS is known to be the cause.
 */
import { status as GrpcStatus } from '@grpc/grpc-js';
import { isGrpcServiceError } from '@temporalio/client';
import { ServiceError } from '../../errors/service-error.ts';
import type { EngineConnection } from './connection.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';

/** How long threads that have ended stay readable (decisions: "ephemeral threads"). */
const RETENTION_HOURS = 72;
const CALL_LIMIT_MS = 10_000;

/** The engine's numbers for the types, as it returns them. */
const typeNames: Record<number, string> = {
  1: 'Text',
  2: 'Keyword',
  3: 'Int',
  4: 'Double',
  5: 'Bool',
  6: 'Datetime',
  7: 'KeywordList',
};

interface Finding {
  sentence: string;
  isFatal: boolean;
}

/**
 * Checks that a cluster which is not ours has what threads need, and changes nothing there. Rejects with
 * `config_invalid` and the missing command; findings that are not fatal are returned as warnings.
 */
export async function checkForeignCluster(connection: EngineConnection): Promise<string[]> {
  const findings = [...(await checkNamespace(connection)), ...(await checkAttributes(connection))];
  const fatal = findings.filter(({ isFatal }) => isFatal).map(({ sentence }) => sentence);
  if (fatal.length > 0) throw new ServiceError('config_invalid', fatal.join('\n'));
  return findings.map(({ sentence }) => sentence);
}

function limited<T>({ client }: EngineConnection, call: () => Promise<T>): Promise<T> {
  return client.connection.withDeadline(Date.now() + CALL_LIMIT_MS, call);
}

async function checkNamespace(connection: EngineConnection): Promise<Finding[]> {
  const { client, namespace } = connection;
  const service = client.workflowService;
  try {
    const { config } = await limited(connection, () => service.describeNamespace({ namespace }));
    const hours = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / 3600;
    if (hours >= RETENTION_HOURS) return [];
    const sentence = `The namespace ${namespace} keeps ended threads for ${hours} h only; temporal operator namespace update --namespace ${namespace} --retention ${RETENTION_HOURS}h`;
    return [{ sentence, isFatal: false }];
  } catch (error) {
    if (isStatus(error, GrpcStatus.NOT_FOUND)) {
      const sentence = `The engine has no namespace ${namespace}; temporal operator namespace create --namespace ${namespace} --retention ${RETENTION_HOURS}h`;
      return [{ sentence, isFatal: true }];
    }
    return [unchecked('The namespace', error)];
  }
}

async function checkAttributes(connection: EngineConnection): Promise<Finding[]> {
  const { client, namespace } = connection;
  const service = client.connection.operatorService;
  try {
    const response = await limited(connection, () => service.listSearchAttributes({ namespace }));
    const known = { ...response.systemAttributes, ...response.customAttributes };
    const wanted = Object.entries(SEARCH_ATTRIBUTES);
    const missing = wanted.filter(([name]) => known[name] === undefined);
    const wrong = wanted.filter(([name, type]) => {
      const found = known[name];
      return found !== undefined && typeNames[found] !== type;
    });
    const findings = wrong.map(([name, type]): Finding => {
      const found = typeNames[known[name] ?? 0] ?? 'another type';
      const sentence = `The search attribute ${name} of the namespace ${namespace} is ${found}, not ${type}; use another namespace.`;
      return { sentence, isFatal: true };
    });
    if (missing.length === 0) return findings;
    const flags = missing.map(([name, type]) => `--name ${name} --type ${type}`).join(' ');
    const sentence = `The namespace ${namespace} lacks search attributes; temporal operator search-attribute create --namespace ${namespace} ${flags}`;
    return [...findings, { sentence, isFatal: true }];
  } catch (error) {
    // Temporal Cloud does not permit this call to every client.
    return [unchecked('The search attributes', error)];
  }
}

function isStatus(error: unknown, code: number): boolean {
  return isGrpcServiceError(error) && error.code === code;
}

function unchecked(what: string, error: unknown): Finding {
  if (!isGrpcServiceError(error)) throw error;
  return { sentence: `${what} cannot be checked: ${error.details}`, isFatal: false };
}
