import type { Access, Feature, Language, Origin } from "@ledge/model";
import type { Viewer } from "@ledge/kernel";
import type Type from "typebox";
import type { Held } from "./held.ts";
import type { Listener } from "./listener.ts";
import type { HubPorts } from "./ports.ts";
import type { Refused } from "./refused.ts";

export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** Who calls: a viewer, and what the events that the call leads to name as their origin. */
export interface Caller extends Viewer {
  readonly origin: Origin;
}

/** What a handler gets. `query` and `body` are what the row's schemas say. */
export interface Call<Query = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
  readonly language: Language;
  readonly hub: HubPorts;
  readonly api: Api;
  /** Names the request in events and in the log. */
  readonly id: string;
  readonly listener: Listener;
  /** True when the body came in as a list, so that a problem has a place in it. */
  readonly isList: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  header(name: string): string | undefined;
  /** The record of the caller's key, where the hub has signed it itself. */
  readonly keyId: string | undefined;
  /** The network address that the request came from. */
  readonly address: string;
  /** Says who calls, with the rights of now, or why the call is not allowed any more. Outlives the request. */
  readonly rights: { now(): Caller | Refused };
  /** Returns the part of the path that the row's path names with a colon; empty if it names none so. */
  parameter(name: string): string;
  /** Whether the caller may still do this: rights end while a stream is open. */
  admitted(): boolean;
}

/** What the API knows of itself. */
export interface Api {
  /** The OpenAPI document of all rows, as JSON. */
  readonly document: Uint8Array;
  /** Prometheus text. */
  metrics(): string;
}

/**
 * What a handler answers: the result itself, or the result's JSON as bytes, or a refusal, or, where the
 * answer is no JSON at all, a whole response; held, when it comes later.
 */
export type Answer<Result> = Result | Uint8Array | Refused | Response | Held;

export interface Gates {
  readonly method: Method;
  /** Below `/cc/<version>`, or the whole path when `unversioned`. A part that begins with a colon is a parameter. */
  readonly path: string;
  readonly unversioned?: true;
  readonly access: Access;
  /** Minimum over the relay where that is another. */
  readonly remote?: Access | "refused";
  readonly feature?: Feature;
  /** First version that has the row, such as `1.14.15`: below it the row is not there. */
  readonly since?: string;
  /** An anonymous row that still reads the credential and refuses a bad one. */
  readonly identifies?: true;
  /** The configured scrape token opens this row too. */
  readonly scrape?: true;
  /** Takes queries and changes alike, so that a remote guest is judged by the command, not by the method. */
  readonly mixed?: true;
  /** What only switches devices is carried out while nothing can be recorded; the answer then says so. */
  readonly switches?: true;
  /** The body is handed on as it came, as text: who reads it has reasons to look at every character. */
  readonly raw?: true;
  /** The body may describe all of a home, so that it holds more than those of other rows. */
  readonly wholeHome?: true;
  /** Answers with a stream: nothing is opened for a HEAD request. */
  readonly stream?: true;
  /** Also says how it was at a time, by the parameter `at`, from this access on. */
  readonly past?: Access;
}

export interface RowSpec<
  Query extends Type.TObject,
  Body extends Type.TSchema,
  Result extends Type.TSchema,
  List extends true | undefined,
  Json extends Type.TSchema,
> extends Gates {
  /** What it does, in a few words, for the OpenAPI document. */
  readonly summary: string;
  readonly query?: Query;
  readonly body?: Body;
  /** The body is a list of `body`; a single one stands for a list of one. */
  readonly list?: List;
  readonly result: Result;
  /** Type of the answer where it is not JSON. */
  readonly contentType?: string;
  /** What it answers instead for `format=json`. */
  readonly asJson?: Json;
  handle(
    call: Call<Type.Static<Query>, List extends true ? Type.Static<Body>[] : Type.Static<Body>>,
  ): Answer<Type.Static<Result | Json>> | Promise<Answer<Type.Static<Result | Json>>>;
}

/** An endpoint, its types forgotten. */
export interface Row extends Gates {
  readonly summary: string;
  readonly query?: Type.TObject;
  readonly body?: Type.TSchema;
  readonly list?: true | undefined;
  readonly result: Type.TSchema;
  readonly contentType?: string;
  readonly asJson?: Type.TSchema;
  handle(call: Call): unknown;
}

/** Declares an endpoint: gates, schemas and handler in one literal. */
export function row<
  Result extends Type.TSchema,
  Query extends Type.TObject = Type.TObject,
  Body extends Type.TSchema = Type.TUnknown,
  const List extends true | undefined = undefined,
  Json extends Type.TSchema = Type.TNever,
>(spec: RowSpec<Query, Body, Result, List, Json>): Row {
  return spec;
}

/** How a row is called in tables and metrics. */
export function rowName({ method, path }: Pick<Row, "method" | "path">): string {
  return `${method} ${path}`;
}
