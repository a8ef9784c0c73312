import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type AddressClass, bodyBounds, readJson, readText, type RowFigures } from "@ledge/link";
import { features, limits, stricter } from "@ledge/model";
import { rowMask } from "./access.ts";
import { anonymousCaller, type Credential, consoleCaller, scrapeCaller, tokenIn } from "./auth.ts";
import {
  type Exchange,
  headerOf,
  hubOf,
  incomingOf,
  nextId,
  OpenCall,
  type Outgoing,
  outgoingOf,
} from "./call.ts";
import { Connection } from "./connection.ts";
import { Held, type Making } from "./held.ts";
import { isOwnHost } from "./host.ts";
import { bodyReader, type ReadBody } from "./items.ts";
import { type Respond, respond, respondAs, respondFault, responding, send } from "./json.ts";
import type { Opening } from "./opening.ts";
import { askerOf, queryOf, refusedAhead } from "./past.ts";
import { type Parameters, type ReadQuery, urlReader } from "./query.ts";
import { expired, forbidden, Refused, refusedByKernel } from "./refused.ts";
import { type Call, type Caller, type Row, rowName } from "./row.ts";

/** A row with everything that can be worked out before the first request. */
interface MountedRow {
  readonly row: Row;
  readonly name: string;
  readonly figures: RowFigures;
  readonly mask: number;
  /** Mask of the roles that may read the row's past. */
  readonly pastMask: number;
  readonly isAnonymous: boolean;
  /** The rate limit that counts a request without a verified credential. */
  readonly openClass: AddressClass;
  readonly feature: number | undefined;
  readonly readQuery: (url: string) => ReadQuery;
  readonly readBody: ((value: unknown, role: number) => ReadBody | Refused) | undefined;
}

const wholeHomeBounds = { ...bodyBounds, keys: limits.wholeHomeKeys, values: limits.wholeHomeValues };

type Later<T> = T | Promise<T>;

const claimFirst = "claim the hub first";

/** Counts as the status of a held answer for which its client did not stay, as servers commonly log it. */
const clientGone = 499;

/** Matches a URL whose query has a value for `at`. */
const asksPast = /[?&]at=[^&]/;

/**
 * Checks every gate before a handler, in one pass without middleware. A request waits only if its token is new
 * or has a body, so a poll is answered synchronously.
 */
export class Door {
  readonly #opening: Opening;
  readonly #connections = new WeakMap<object, Connection>();
  #isClaimed = false;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /** Returns the handler for a row. */
  handler(row: Row): (c: Exchange) => Later<Response> {
    const { clock } = this.#opening.ports;
    const isRemote = this.#opening.listener === "remote";
    const mounted = this.#mounted(row);
    const { name } = mounted;
    const observed = (c: Exchange, response: Response, began: number): Response => {
      // An answer that is held is counted when it goes out.
      if (response !== RESPONSE_ALREADY_SENT)
        this.#count(mounted, isRemote ? c.get("user") : undefined, response.status, began);
      return response;
    };
    return (c) => {
      const began = clock.monotonic();
      try {
        const answer = this.#enter(c, mounted, began);
        if (!(answer instanceof Promise)) return observed(c, answer, began);
        return answer
          .catch((error: unknown) => this.fault(error, name))
          .then((response) => observed(c, response, began));
      } catch (error) {
        return observed(c, this.fault(error, name), began);
      }
    };
  }

  /** @param result the status, or `clientGone` */
  #count({ figures, name }: MountedRow, user: string | undefined, result: number, began: number): void {
    const { ports, listener } = this.#opening;
    figures.observe(result, ports.clock.monotonic() - began);
    if (listener === "remote") ports.remoteCalls.called(user ?? null, name, result);
  }

  /** Answers 403 to a host name that is not this hub's; undefined for its own. */
  strangeHost(c: Exchange, connection = this.#connectionOf(c)): Response | undefined {
    const { listener, ports } = this.#opening;
    if (listener !== "local") return undefined;
    const host = headerOf(c, "host");
    const names = ports.hostNames();
    const isOwn = connection === undefined ? isOwnHost(host, names) : connection.isOwnHost(host, names);
    if (isOwn) return undefined;
    return respond(forbidden("this hub does not go by that name; see its configured host names"));
  }

  /** Answers a request for which there is no row. */
  absent(why: Refused): Response {
    const { listener, ports } = this.#opening;
    if (listener === "remote") ports.remoteCalls.called(null, null, why.status);
    return respond(why);
  }

  /** Answers after an exception: a kernel error by its kind, any other with 500 and the id of its log line. */
  fault(error: unknown, name: string): Response {
    const refused = refusedByKernel(error, this.#opening.ports.kernel.health.reason);
    if (refused !== undefined && refused.status !== 500) return respond(refused);
    const id = nextId();
    this.#opening.ports.log("error", "a request failed", { id, row: name, error });
    return refused === undefined ? respondFault(id) : respond(refused);
  }

  #mounted(row: Row): MountedRow {
    const { listener } = this.#opening;
    return {
      row,
      name: rowName(row),
      figures: this.#opening.figures.of(rowName(row)),
      mask: rowMask(row, listener),
      pastMask: rowMask({ ...row, access: stricter(row.access, row.past ?? row.access) }, listener),
      isAnonymous: row.access === "ANONYMOUS",
      openClass: row.method === "GET" && row.stream !== true ? "open" : "act",
      feature: row.feature === undefined ? undefined : features[row.feature],
      readQuery: urlReader(queryOf(row), "at"),
      readBody: row.body === undefined ? undefined : bodyReader(row),
    };
  }

  #enter(c: Exchange, mounted: MountedRow, now: number): Later<Response> {
    const connection = this.#connectionOf(c);
    const strange = this.strangeHost(c, connection);
    if (strange !== undefined) return strange;
    const { listener, auth } = this.#opening;
    if (listener === "console") return this.#admit(c, mounted, consoleCaller, undefined, now);
    const { row } = mounted;
    const isAnonymous = mounted.isAnonymous && !(row.past !== undefined && asksPast.test(urlOf(c)));
    const header = headerOf(c, listener === "remote" ? "x-hub-key" : "authorization");
    const held = connection?.held(header, auth);
    const token = held === undefined ? tokenIn(header) : header;
    const known = held ?? (token === undefined ? undefined : auth.known(token));
    if (held === undefined && known !== undefined) connection?.hold(header, known);
    const asksNobody = isAnonymous && (row.identifies !== true || token === undefined);
    const wait = this.#wait(c, known, asksNobody ? mounted.openClass : "key", now);
    if (known !== undefined) this.#name(c, known);
    if (wait > 0) return respond(tooMany("requests", wait));
    if (asksNobody) {
      return this.#admit(c, mounted, anonymousCaller, undefined, now);
    }
    if (token === undefined)
      return respond(new Refused(401, this.#isNew() ? claimFirst : "a HubKey is needed"));
    if (known !== undefined) return this.#admitHolder(c, mounted, known, now);
    if (row.scrape && listener === "local" && auth.isScrapeToken(token)) {
      this.#keyShown(c, "scrape");
      return this.#admit(c, mounted, scrapeCaller, undefined, now);
    }
    return auth.verify(token).then((found) => {
      if (found instanceof Refused) {
        this.#keyShown(c, undefined);
        return respond(found);
      }
      this.#name(c, found);
      return this.#admitHolder(c, mounted, found, now);
    });
  }

  /** Returns the connection of a request, if the app runs in a server of node:http. */
  #connectionOf(c: Exchange): Connection | undefined {
    const socket = incomingOf(c)?.socket as object | undefined;
    if (socket === undefined) return undefined;
    let connection = this.#connections.get(socket);
    if (connection === undefined) this.#connections.set(socket, (connection = new Connection()));
    return connection;
  }

  /** Returns after how many seconds to retry, or 0. Counts verified tokens by user, other requests by address. */
  #wait(c: Exchange, known: Credential | undefined, kind: AddressClass, now: number): number {
    const { auth, addressOf, addressRates } = this.#opening;
    if (known !== undefined) return auth.rate.take(known.bucket, now);
    return addressRates.take(kind, addressOf(incomingOf(c)), now);
  }

  /** Notes whose request it is, for the report of remote calls. */
  #name(c: Exchange, { key }: Credential): void {
    if (this.#opening.listener === "remote") c.set("user", key.user_id);
  }

  #admitHolder(c: Exchange, mounted: MountedRow, credential: Credential, began: number): Later<Response> {
    const { auth, listener } = this.#opening;
    const isStray = listener === "remote" && auth.isOwn(credential);
    const caller = isStray ? localOnly() : auth.callerOf(credential);
    const isRefused = caller instanceof Refused;
    this.#keyShown(c, isRefused ? undefined : credential.key.user_id);
    return isRefused ? respond(caller) : this.#admit(c, mounted, caller, credential, began);
  }

  /** Reports the user of a connection's key if it is another than before. */
  #keyShown(c: Exchange, user: string | undefined): void {
    const connection = this.#connectionOf(c);
    if (connection === undefined || connection.user === user) return;
    connection.user = user;
    const incoming = incomingOf(c);
    if (incoming !== undefined) this.#opening.keyShown(incoming, user);
  }

  #admit(
    c: Exchange,
    mounted: MountedRow,
    caller: Caller,
    credential: Credential | undefined,
    began: number,
  ): Later<Response> {
    const { row, mask, feature, readQuery, readBody } = mounted;
    const { ports, listener, bodyBytes } = this.#opening;
    if (!mounted.isAnonymous && listener !== "console" && this.#isNew())
      return respond(forbidden(claimFirst));
    if (mask === 0) return respond(forbidden("this is for the local network only"));
    if ((caller.role & mask) === 0) return respond(forbidden("this role may not do that"));
    if (feature !== undefined && !hubOf(ports).features.includes(feature)) {
      return respond(forbidden(`the feature ${row.feature} is not enabled on this hub`));
    }
    const query = readQuery(urlOf(c));
    if (query instanceof Refused) return respond(query);
    const call = new OpenCall(this.#opening, c, mask, caller, query, credential);
    if (row.past !== undefined && query["at"] !== undefined) return this.#answerPast(mounted, call);
    if (row.stream && c.req.method === "HEAD") return respondAs(row.contentType ?? "application/json", null);
    if (row.raw) {
      return readText(c.req.raw, incomingOf(c), bodyBytes).then((text) => {
        if (text instanceof Refused) return respond(text);
        const refused = credential && this.#refusedByNow(credential, caller, 1, Buffer.byteLength(text));
        if (refused !== undefined) return respond(refused);
        call.body = text;
        return this.#answer(c, mounted, call, began);
      });
    }
    if (readBody === undefined) return this.#answer(c, mounted, call, began);
    const bounds = row.wholeHome ? wholeHomeBounds : bodyBounds;
    return readJson(c.req.raw, incomingOf(c), bodyBytes, bounds).then((read) => {
      if (read instanceof Refused) return respond(read);
      const { value, bytes } = read;
      const items = row.list === true && Array.isArray(value) ? value.length : 1;
      const refused = credential && this.#refusedByNow(credential, caller, items, bytes);
      if (refused !== undefined) return respond(refused);
      const found = readBody(value, caller.role);
      if (found instanceof Refused) return respond(found);
      call.body = found.body;
      call.isList = found.isList;
      return this.#answer(c, mounted, call, began);
    });
  }

  /** Refuses a request whose body has arrived if the caller's rights ended meanwhile or the body costs too much. */
  #refusedByNow(credential: Credential, admitted: Caller, items: number, bytes: number): Refused | undefined {
    const changed = this.#changedRights(credential, admitted);
    if (changed !== undefined) return changed;
    const { auth, ports } = this.#opening;
    const cost = Math.max(items, Math.ceil(bytes / limits.bytesPerCommand));
    const wait = auth.commandRate.take(credential.commands, ports.clock.monotonic(), cost);
    return wait > 0 ? tooMany("commands", wait) : undefined;
  }

  /** Refuses a request whose caller lost the key or the role while the body arrived. */
  #changedRights(credential: Credential, admitted: Caller): Refused | undefined {
    const { auth } = this.#opening;
    if (!auth.isCurrent(credential)) return expired();
    const caller = auth.callerOf(credential);
    if (caller instanceof Refused) return caller;
    return caller.role === admitted.role ? undefined : forbidden("the role has changed: send it again");
  }

  #answer(c: Exchange, mounted: MountedRow, call: Call, began: number): Later<Response> {
    const result = mounted.row.handle(call);
    if (result instanceof Held) return this.#hold(c, mounted, result, began);
    const answer = responding(headerOf(c, "accept-encoding"));
    return result instanceof Promise ? result.then(answer) : answer(result);
  }

  /** Lets a server of node:http forget the request while its answer is held. */
  #hold(c: Exchange, mounted: MountedRow, held: Held, began: number): Later<Response> {
    const outgoing = outgoingOf(c);
    // Hono makes another response of the one to HEAD.
    const answer = responding(headerOf(c, "accept-encoding"));
    const made = (make: Making): Promise<Response> => this.#made(make, mounted.name, answer);
    if (outgoing === undefined || c.req.method === "HEAD") return awaited(c.req.raw.signal, held, made);
    const user = c.get("user");
    sendTo(outgoing, held, made, (result) => this.#count(mounted, user, result, began));
    return RESPONSE_ALREADY_SENT;
  }

  async #made(make: Making, name: string, answer: Respond): Promise<Response> {
    try {
      return await answer(await make());
    } catch (error) {
      return this.fault(error, name);
    }
  }

  /** Answers as of the time `at`, with the caller's rights of today. */
  #answerPast({ name, pastMask }: MountedRow, call: OpenCall): Later<Response> {
    const { caller, listener, id, hub } = call;
    const { at, ...query } = call.query as Parameters & { readonly at: number };
    if ((caller.role & pastMask) === 0) return respond(forbidden("this role may not look back"));
    const ahead = refusedAhead("at", at, hub);
    if (ahead !== undefined) return respond(ahead);
    const answer = responding(call.header("accept-encoding"));
    return hub.past
      .ask("row", { row: name, query, at, listener, id }, askerOf(call), { signal: call.signal })
      .then(answer);
  }

  /** Returns whether the hub is unclaimed. A claimed hub stays claimed while the process runs. */
  #isNew(): boolean {
    this.#isClaimed ||= hubOf(this.#opening.ports).state !== "factory_new";
    return !this.#isClaimed;
  }
}

function awaited(
  signal: AbortSignal,
  held: Held,
  made: (make: Making) => Promise<Response>,
): Promise<Response> {
  return new Promise((resolve) => {
    const leave = held.begin((make) => resolve(made(make)));
    signal.addEventListener("abort", leave);
  });
}

/** @param ended called once, with the status of the answer, or `clientGone` */
function sendTo(
  outgoing: Outgoing,
  held: Held,
  made: (make: Making) => Promise<Response>,
  ended: (result: number) => void,
): void {
  let isAnswered = false;
  const leave = held.begin((make) => {
    isAnswered = true;
    void made(make).then((response) => {
      ended(response.status);
      return send(outgoing, response);
    });
  });
  outgoing.once("close", () => {
    if (isAnswered) return;
    leave();
    ended(clientGone);
  });
}

function localOnly(): Refused {
  return new Refused(401, "this key opens the hub on its own network only");
}

function tooMany(what: string, waitS: number): Refused {
  return new Refused(429, `too many ${what}; try again in ${waitS} s`, [], waitS);
}

function urlOf(c: Exchange): string {
  return incomingOf(c)?.url ?? c.req.url;
}
