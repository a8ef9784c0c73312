import type { Refused } from "@ledge/link";
import type { Rejection } from "@ledge/model";
import type Type from "typebox";
import type { LiveSession } from "../accounts/logins.ts";
import type { Allowance } from "./allowances.ts";
import type { Site } from "./sites.ts";
import type { Services } from "./services.ts";

/** Who a row is for, and what its handler learns of them: a hub's id. */
export interface Callers {
  anyone: null;
  account: LiveSession;
  hub: string;
}

/** What a handler gets. `fields` are what the row's schema says. */
export interface Call<Who extends keyof Callers, Fields> extends Services {
  readonly caller: Who extends keyof Callers ? Callers[Who] : never;
  readonly fields: Fields;
  /** The address under which the row was called. */
  readonly site: Site;
  /** Where the request comes from (IP). */
  readonly address: string;
  /** Whether the caller is a browser that shows pages. */
  readonly wantsPage: boolean;
}

/** What a handler answers: a value, which goes out as JSON, or a whole response, or why nothing is done. */
export type Answer = Response | Refused | Rejection | object | string | number | boolean | null;

/** An endpoint (hub-api 4.10). */
export interface RowSpec<Who extends keyof Callers, Fields extends Type.TObject> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  readonly who: Who;
  /** Where the fields stand: `any` is the query, a form or JSON, as clients differ (wire-facts 4). */
  readonly from?: "query" | "json" | "any";
  readonly fields?: Fields;
  /** What a call is counted as, beside all calls. */
  readonly allowance?: Allowance;
  /** Whether a call is refused while its account has added as much to the log as one may in a day. */
  readonly addsToLog?: boolean;
  /** Whether a call brings something into being that stays for ever: of that each address has so much a day. */
  brings?(call: Pick<Call<Who, Type.Static<Fields>>, "cloud" | "caller" | "fields">): boolean;
  handle(call: Call<Who, Type.Static<Fields>>): Answer | Promise<Answer>;
}

/** An endpoint, its types forgotten. */
export interface Row extends Omit<RowSpec<keyof Callers, Type.TObject>, "handle" | "brings"> {
  brings?(call: Pick<Call<keyof Callers, unknown>, "cloud" | "caller" | "fields">): boolean;
  handle(call: Call<keyof Callers, unknown>): Answer | Promise<Answer>;
}

/** Declares an endpoint in one literal. */
export function row<Who extends keyof Callers, Fields extends Type.TObject = Type.TObject<{}>>(
  spec: RowSpec<Who, Fields>,
): Row {
  return spec;
}
