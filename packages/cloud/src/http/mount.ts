import type { IncomingMessage } from "node:http";
import { keyShown } from "@ledge/host/server";
import { invalid, problemsOf, Refused } from "@ledge/link";
import { type Context, Hono } from "hono";
import { lazyValidator, type LazyValidator, limits } from "@ledge/model";
import Type from "typebox";
import type { Allowances } from "./allowances.ts";
import { preflight, refusedByError, respond, respondOrProblem } from "./answers.ts";
import { readFields } from "./fields.ts";
import type { Bearer } from "../oauth/bearers.ts";
import type { Callers, Row } from "./row.ts";
import type { Services } from "./services.ts";
import type { Site } from "./sites.ts";

/**
 * What the server passes to the app: the request of node:http. The app sets `route` to the path of the
 * answering row.
 */
export type CloudEnv = { Bindings: { readonly incoming?: IncomingMessage; route?: string } };

/** What every row needs before its handler runs. */
export interface Gates {
  readonly services: Services;
  /** Undefined when callers are not counted. */
  readonly allowances: Allowances | undefined;
  /** Waits until this process shows all that others have acknowledged; absent when it writes alone. */
  readonly fresh?: (() => Promise<void>) | undefined;
  /** Whether this process is late (`limits.admitLateMs`); absent when nobody looks. */
  readonly isLate?: (() => boolean) | undefined;
  /** Returns where a request comes from (IP). */
  readonly addressOf: (incoming: IncomingMessage | undefined) => string;
}

/** Makes an app that answers 404 to everything. */
export function emptyApp(services: Pick<Services, "logger">): Hono<CloudEnv> {
  const app = new Hono<CloudEnv>();
  app.options("*", () => preflight());
  app.notFound(() => respond(new Refused(404, "there is nothing here")));
  app.onError((error) => respond(refusedFor(services, error)));
  return app;
}

/** Mounts a row with its checks: rate of the caller, credential, fields, rate per mail address. */
export function mount(app: Hono<CloudEnv>, row: Row, site: Site, gates: Gates): void {
  const validator = lazyValidator(row.fields ?? Type.Object({}));
  const path = `${site.prefix}${row.path}`;
  const send = site.hasProblems ? respondOrProblem : respond;
  app.on(row.method, path, async (c) => {
    // Missing when a test calls the app directly.
    if ((c.env as CloudEnv["Bindings"] | undefined) !== undefined) c.env.route = row.path;
    try {
      if (row.canWait === true && gates.isLate?.() === true) return send(tooLate(), c.req.path);
      if (row.needsNoLog !== true) await gates.fresh?.();
      return send(await answer(c, row, site, gates, validator), c.req.path);
    } catch (error) {
      return send(refusedFor(gates.services, error), c.req.path);
    }
  });
}

/** Hubs that come would make all who are there wait longer, until their tunnels break and they come as well. */
function tooLate(): Refused {
  return new Refused(503, "the cloud is busy; try again", [], limits.admitRetryS);
}

async function answer(
  c: Context<CloudEnv>,
  row: Row,
  site: Site,
  gates: Gates,
  validator: LazyValidator<unknown>,
) {
  const { services, allowances, addressOf } = gates;
  const incoming = (c.env as CloudEnv["Bindings"] | undefined)?.incoming;
  const address = addressOf(incoming);
  const now = services.clock.monotonic();
  const { allowance } = row;
  const { holder, caller: asking } = await callerOf(c, row, address, now, gates);
  if (incoming !== undefined && row.who !== "anyone") keyShown(incoming, holder);
  if (asking instanceof Refused) return asking;
  const tooMany = allowance && allowances?.caller(allowance, address, now);
  if (tooMany !== undefined) return tooMany;
  const fields = await readFields(c.req.raw, incoming, row, site);
  if (fields instanceof Refused) return fields;
  Object.assign(fields, c.req.param());
  // Reading the body takes time in which the session may end.
  const caller = row.who === "anyone" ? asking : await stillCalling(row.who, tokenIn(c), services);
  if (caller instanceof Refused) return caller;
  if (!validator.Check(fields)) return invalid(problemsOf(validator, fields));
  if (allowance !== undefined && typeof fields["email"] === "string") {
    const tooOften = allowances?.email(allowance, fields["email"], address, now);
    if (tooOften !== undefined) return tooOften;
  }
  const spent = row.addsToLog === true && isAccount(caller) && spentShare(caller.account.id, services);
  if (spent) return spent;
  const isBringing = row.brings?.({ cloud: services.cloud, caller, fields }) ?? false;
  const bringing = isBringing ? allowances?.bringing(address, now) : undefined;
  if (bringing !== undefined) return bringing;
  const wantsPage = c.req.header("accept")?.includes("text/html") ?? false;
  const { signal } = c.req.raw;
  const header = (name: string): string | undefined => c.req.header(name);
  const query = (): URLSearchParams => new URL(c.req.url).searchParams;
  return row.handle({ ...services, caller, fields, site, address, signal, query, wantsPage, header });
}

/** Callers that prove who they are. */
type Known = Exclude<keyof Callers, "anyone">;

/** Returns the name under which a known caller's requests are counted. */
function holderOf(known: Bearer | string): string {
  return typeof known === "string" ? `hub ${known}` : known.account.id;
}

interface Entered {
  /** The known caller, whether admitted or not. */
  readonly holder?: string;
  readonly caller: Callers[keyof Callers] | Refused;
}

function isAccount(caller: Callers[keyof Callers]): caller is Callers["account" | "platform"] {
  return typeof caller === "object" && caller !== null;
}

function spentShare(account: string, { cloud }: Services): Refused | false {
  const seconds = cloud.logShares.secondsUntil(account);
  return seconds > 0 && new Refused(429, "you have reached the limit of changes per day", [], seconds);
}

/** Returns the raw token (wire-facts 4); some clients add a scheme, or send a word for none. */
function tokenIn(c: Context<CloudEnv>): string {
  const token = (c.req.header("authorization") ?? "").replace(/^Bearer /i, "").trim();
  return token === "null" ? "" : token;
}

/**
 * Returns who calls, or why they are refused. Known callers are counted by name, others by address: public
 * reads, wrong credentials and other actions each have their own allowance.
 */
async function callerOf(
  c: Context<CloudEnv>,
  { who, method, allowance, countsItself }: Row,
  address: string,
  now: number,
  { services, allowances }: Gates,
): Promise<Entered> {
  if (who === "anyone") {
    const kind = method === "GET" && allowance === undefined ? "open" : "act";
    return { caller: allowances?.request(kind, address, now) ?? null };
  }
  const token = tokenIn(c);
  const known = knownOf(who, token, services);
  if (known !== undefined) {
    const holder = holderOf(known);
    const tooMany = countsItself ? undefined : allowances?.holder(holder, now);
    return { holder, caller: tooMany ?? known };
  }
  const verify = (): Promise<Bearer | Refused> => verified(who, token, services);
  const caller = await (allowances?.verify(address, now, verify) ?? verify());
  return caller instanceof Refused ? { caller } : { holder: holderOf(caller), caller };
}

/** Returns the session of a verified token; undefined when it is over. */
function knownOf(who: Known, token: string, { cloud, bearers }: Services): Bearer | string | undefined {
  if (who === "hub") return cloud.hubs.hubOf(token);
  return who === "platform" ? bearers.known(token) : cloud.logins.knownSession(token);
}

async function stillCalling(
  who: Known,
  token: string,
  services: Services,
): Promise<Bearer | string | Refused> {
  return knownOf(who, token, services) ?? (await verified(who, token, services));
}

async function verified(who: Known, token: string, { cloud, bearers }: Services): Promise<Bearer | Refused> {
  if (token === "") return new Refused(401, "log in first");
  if (who === "hub") return new Refused(401, "this session has ended");
  const session = await (who === "platform" ? bearers.of(token) : cloud.logins.sessionOf(token));
  if (typeof session === "object") return session;
  return new Refused(
    401,
    session === "ended" ? "this session has ended" : `the token is invalid: ${session}`,
  );
}

function refusedFor({ logger }: Pick<Services, "logger">, error: unknown): Refused {
  const refused = refusedByError(error);
  if (refused !== undefined) return refused;
  logger.error({ error }, "a request failed");
  return new Refused(500, "internal error");
}
