/*
 * `auth/` derives a principal from headers, and uses no other part of HTTP: everyone anonymous, one fixed principal,
 * test mode, OIDC, or the manifest's `auth`.
 *
 * The manifest's `auth` runs in a separate guest (`guest/pool/web-guest.ts`, started with `auth_path` and no agents)
 * and does two things: it authenticates for `auth/manifest-auth.ts` and authorises for `policy/handler-policy.ts`. A
 * policy that does more than allow or deny has `permit`: its result may rewrite the request (`given`) and narrow it to
 * resources whose metadata matches (`filter`); `requirePermissionInThread` hides a thread by it. The same guest serves
 * the manifest's `http.app`: `http/agent-app/agent-app.ts`, after every other route, passes a request to
 * `guest/wire/web-exchange.ts`, one call of `Agents.Http` with both bodies as streams, and the guest passes it to an
 * ASGI application (`asgi.py`, `lifespan.py`) or a `fetch` (`fetch-app.ts`). A body has an explicit end, so that a
 * truncated one is never treated as complete. The issuer's keys (`issuer-keys.ts`) are our own small cache over jose's
 * verification, because the library's would query an unavailable issuer for every request, and drop keys meanwhile.
 */
import { status } from '@grpc/grpc-js';
import { reasonOf, ServiceError } from '../../errors/service-error.ts';
import type { CheckpointSession } from '../port.ts';
import { errorText } from '../wire/agent-wire.ts';
import { GuestLane, type GuestLaneOptions } from './guest-lane.ts';
import type { ErrorMessage } from '../wire/proto-messages.ts';
import type { WarmGuest } from './warm-guest.ts';
import { type AppHead, type AppRequest, WebExchange } from '../wire/web-exchange.ts';
import {
  authenticateRequest,
  type AuthorizationResult,
  type AuthorizeQuestion,
  authorizeRequest,
  readAuthenticated,
  readAuthorized,
  type AuthenticationResult,
  type WebRequest,
} from '../wire/web-wire.ts';

/** The manifest's entries that a guest serves over HTTP. */
export interface GuestWeb {
  language: GuestLaneOptions['language'];
  /** The path of its `auth`, if it is used: `./auth.py:auth`. */
  authPath?: string;
  /** The path of its `http.app`, if it is served. */
  appPath?: string;
}

type WebGuestOptions = Omit<GuestLaneOptions, 'size' | 'greet'> & { web: GuestWeb };

/**
 * The guest for the manifest's `auth` and `http.app`: a separate process, so that an agent that hangs, exits or
 * modifies its process cannot affect access decisions. All calls reject with a ServiceError when the guest does not
 * respond.
 */
export class WebGuest {
  readonly #lane: GuestLane;
  readonly #options: WebGuestOptions;

  constructor(options: WebGuestOptions) {
    this.#options = options;
    this.#lane = new GuestLane({ ...options, size: 1, greet: async () => undefined });
  }

  start(): void {
    this.#lane.start();
  }

  /** Requests go to a fresh process from now on. */
  reload(): void {
    this.#lane.reload();
  }

  get trouble(): string | undefined {
    return this.#lane.trouble;
  }

  pids(): number[] {
    return this.#lane.pids();
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  /** For a service start: rejects with `manifest_invalid` and the reason when `auth` or `http.app` failed to load. */
  async requireLoaded(signal: AbortSignal): Promise<void> {
    const { limits, web } = this.#options;
    let guest: WarmGuest | undefined;
    try {
      guest = await this.#lane.acquire(signal);
      const found = await guest.process.agents.describeWeb(signal);
      if (found.auth_error) {
        const what = `auth: "${web.authPath}" cannot be loaded, and without it everybody would be let in`;
        throw notLoaded('auth', what, found.auth_error);
      }
      if (found.app_error) {
        const what = `http.app: "${web.appPath}" cannot be loaded and started`;
        throw notLoaded('http.app', what, found.app_error);
      }
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw unavailable(limits.authMs, error);
    } finally {
      guest?.release();
    }
  }

  /** One request to the manifest's `http.app`; `respond` writes the response. Resolves when that is done. */
  async http(
    request: AppRequest,
    signal: AbortSignal,
    respond: (head: AppHead, body: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<void> {
    const { limits } = this.#options;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(limits.appGuestMs)]);
    const guest = await this.#lane.acquire(inTime).catch((cause: unknown) => {
      const message = "The guest of the agents' http.app cannot be had at the moment.";
      throw new ServiceError('guest_unavailable', message, { cause });
    });
    const { principal, ...asked } = request;
    const { checkpoints } = guest.process;
    const session = checkpoints.openToken({ session: noThreads, apiCaller: { principal } });
    const exchange = new WebExchange(guest.process.agents.http(), limits);
    try {
      const { token } = session;
      const { head, body } = await exchange.begin({ ...asked, token }, signal);
      await respond(head, body);
    } finally {
      checkpoints.closeToken(session);
      exchange.close();
      guest.release();
      if (exchange.wasLate) void this.#replaceIfFrozen(guest);
    }
  }

  authenticate(request: WebRequest): Promise<AuthenticationResult> {
    return this.#ask(async (guest, signal) =>
      readAuthenticated(
        await guest.process.agents.authenticate(authenticateRequest(request), signal),
      ),
    );
  }

  authorize(question: AuthorizeQuestion): Promise<AuthorizationResult> {
    return this.#ask(async (guest, signal) =>
      readAuthorized(await guest.process.agents.authorize(authorizeRequest(question), signal)),
    );
  }

  async #ask<T>(call: (guest: WarmGuest, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { authMs } = this.#options.limits;
    const signal = AbortSignal.timeout(authMs);
    let guest: WarmGuest | undefined;
    try {
      guest = await this.#lane.acquire(signal);
      return await call(guest, signal);
    } catch (error) {
      if (guest && isLate(error)) void this.#replaceIfFrozen(guest);
      throw unavailable(authMs, error);
    } finally {
      guest?.release();
    }
  }

  /** A handler that waits forever does not affect the others; one that blocks the process blocks all of them. */
  async #replaceIfFrozen(guest: WarmGuest): Promise<void> {
    const { limits, process } = this.#options;
    try {
      await guest.process.agents.health(AbortSignal.timeout(limits.controlCallMs));
    } catch {
      if (guest.process.hasExited) return;
      process.logger.warn(
        { pid: guest.process.pid },
        'the guest of auth and http.app responds no more',
      );
      guest.retire();
      await guest.process.close();
    }
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(new ServiceError('permission_denied', 'A request to http.app has no thread.'));

/** For the token of a request: it opens the API alone. */
const noThreads: CheckpointSession = {
  head: refuse,
  write: refuse,
  load: refuse,
  // oxlint-disable-next-line require-yield -- it refuses
  async *list() {
    await refuse();
  },
  deleteThread: refuse,
};

function isLate(error: unknown): boolean {
  const { code } = error as { code?: unknown }; // gRPC's errors have one
  return code === status.CANCELLED || code === status.DEADLINE_EXCEEDED;
}

function unavailable(limitMs: number, cause: unknown): ServiceError {
  const message = isLate(cause)
    ? `The agents' auth did not respond within ${limitMs / 1000} s.`
    : `The agents' auth cannot be asked: ${reasonOf(cause)}`;
  return new ServiceError('auth_unavailable', message, { cause });
}

function notLoaded(entry: string, what: string, error: ErrorMessage): ServiceError {
  return new ServiceError('manifest_invalid', `${what}: ${errorText(error)}`, {
    details: { entry },
  });
}
