import type { Refused } from "@ledge/link";
import type { Rejection } from "@ledge/model";
import type Type from "typebox";
import type { LiveSession } from "../accounts/logins.ts";
import type { Bearer } from "../oauth/bearers.ts";
import type { Allowance } from "./allowances.ts";
import type { Site } from "./sites.ts";
import type { Services } from "./services.ts";

/** Who may call a row, and what its handler gets about them: for a hub its id. */
export interface Callers {
  anyone: null;
  account: LiveSession;
  /** An account with a cloud token, or an access token of OAuth2. */
  platform: Bearer;
  hub: string;
}

/** What a handler gets. `fields` match the row's schema. */
export interface Call<Who extends keyof Callers, Fields> extends Services {
  readonly caller: Who extends keyof Callers ? Callers[Who] : never;
  readonly fields: Fields;
  /** The site under which the row was called. */
  readonly site: Site;
  /** Where the request comes from (IP). */
  readonly address: string;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** Returns the parameters of the URL, where the row's fields are not all that counts. */
  readonly query: () => URLSearchParams;
  /** Whether the caller is a browser that shows pages. */
  readonly wantsPage: boolean;
  readonly header: (name: string) => string | undefined;
}

/** What a handler returns: a value, sent as JSON, or a response, or a refusal. */
export type Answer = Response | Refused | Rejection | object | string | number | boolean | null;

/** An endpoint (hub-api 4.10). */
export interface RowSpec<Who extends keyof Callers, Fields extends Type.TObject> {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** `:name` in it is a field. */
  readonly path: string;
  readonly who: Who;
  /**
   * Where the fields are: `any` means query, form or JSON, since clients differ (wire-facts 4). With `bytes`, the
   * field `bodyAs` is the body as it came.
   */
  readonly from?: "query" | "json" | "any" | "bytes";
  readonly fields?: Fields;
  /** The field that holds the body as a whole; by default each of its fields is one of the row. */
  readonly bodyAs?: string;
  /** The most bytes of a body; by default `limits.cloudBodyBytes`. */
  readonly bodyBytes?: number;
  /** A further allowance that a call uses up. */
  readonly allowance?: Allowance;
  /** Whether calls do not count as requests of their caller, because the handler counts them. */
  readonly countsItself?: true;
  /** Whether nothing in the log matters to the answer, so that nobody reads on before it. */
  readonly needsNoLog?: true;
  /** Whether a call that would lead to many more is refused while the process is late. */
  readonly canWait?: true;
  /** Whether to refuse an account that has reached its daily share of the log. */
  readonly addsToLog?: boolean;
  /** Whether a call creates something permanent, which each address may do only so often per day. */
  brings?(call: Pick<Call<Who, Type.Static<Fields>>, "cloud" | "caller" | "fields">): boolean;
  handle(call: Call<Who, Type.Static<Fields>>): Answer | Promise<Answer>;
}

/** An endpoint without its types. */
export interface Row extends Omit<RowSpec<keyof Callers, Type.TObject>, "handle" | "brings"> {
  brings?(call: Pick<Call<keyof Callers, unknown>, "cloud" | "caller" | "fields">): boolean;
  handle(call: Call<keyof Callers, unknown>): Answer | Promise<Answer>;
}

/** Declares an endpoint, with its types inferred. */
export function row<Who extends keyof Callers, Fields extends Type.TObject = Type.TObject<{}>>(
  spec: RowSpec<Who, Fields>,
): Row {
  return spec;
}
