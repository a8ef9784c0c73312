import type Type from "typebox";
import type { GraphCaller } from "./caller.ts";
import type { Failed } from "./errors.ts";
import type { GraphParts } from "./parts.ts";
import type { Right } from "./rights.ts";
import type { Targets } from "./targets.ts";

/** The abstract types of messages (platform-api 2.1). A type is `<What><Base>`. */
export const bases = [
  "HubsQuery",
  "HubQuery",
  "HubCommand",
  "DeviceRegisterQuery",
  "DeviceRegisterCommand",
  "TenantQuery",
  "TenantCommand",
  "SubscriptionQuery",
  "SubscriptionCommand",
  "ResourceGroupQuery",
  "ResourceGroupCommand",
  "ResourceQuery",
  "ResourceCommand",
  "SiteQuery",
  "SiteCommand",
  "ClientQuery",
  "ClientCommand",
  "OperationQuery",
  "OperationCommand",
] as const;
export type Base = (typeof bases)[number];

/** Whether a message changes something. */
export type Kind = "command" | "query";

/** What a handler gets. `fields` match the row's schema. */
export interface GraphCall<Scope extends keyof Targets, Fields> {
  readonly caller: GraphCaller;
  readonly fields: Fields;
  /** What the message is about; the caller has the row's right to it. */
  readonly target: Scope extends keyof Targets ? Targets[Scope] : never;
  readonly parts: GraphParts;
  readonly correlationId: string | undefined;
  /** The `traceparent` of the answer, to be passed on. */
  readonly traceparent: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

type Answer<Result> = Result | Failed | Promise<Result | Failed>;

/** A type of message. */
export interface RowSpec<
  Scope extends keyof Targets,
  Fields extends Type.TProperties,
  Result extends Type.TProperties,
> {
  readonly type: `${string}${Base}`;
  /** What it does, in a few words, for the documents. */
  readonly summary: string;
  /** What it is about. The scope's own field, such as `hubId`, comes before `fields`. */
  readonly scope: Scope;
  /** The right to the target that a caller needs. */
  readonly right: Right;
  readonly fields?: Fields;
  readonly result?: Result;
  /** Whether to refuse an account that has reached its daily share of the log. */
  readonly addsToLog?: true;
  handle(
    call: GraphCall<Scope, Type.Static<Type.TObject<Fields>>>,
  ): Answer<Type.Static<Type.TObject<Result>>>;
}

/** A type of message without its types. */
export interface Row {
  readonly type: string;
  readonly base: Base;
  readonly kind: Kind;
  readonly summary: string;
  readonly scope: keyof Targets;
  readonly right: Right;
  readonly fields: Type.TProperties;
  readonly result: Type.TProperties;
  readonly addsToLog: boolean;
  handle(call: GraphCall<keyof Targets, unknown>): Answer<object>;
}

/** Declares a type of message: fields, result, right and handler in one literal. */
export function row<
  Scope extends keyof Targets,
  Fields extends Type.TProperties = {},
  Result extends Type.TProperties = {},
>(spec: RowSpec<Scope, Fields, Result>): Row {
  const { type, summary, scope, right, fields = {}, result = {}, addsToLog = false } = spec;
  const base = baseOf(type);
  if (base === undefined) throw new Error(`${type} has no base`);
  const kind: Kind = base.endsWith("Query") ? "query" : "command";
  const handle: Row["handle"] = (call) => spec.handle(call as never);
  return { type, base, kind, summary, scope, right, fields, result, addsToLog, handle };
}

/** Returns the base of a type's name, if it is a concrete one. */
function baseOf(type: string): Base | undefined {
  // `ListDeviceRegisterQuery` ends with no other base, but the name of one base may end with another.
  const fitting = bases.filter((base) => type.endsWith(base) && type.length > base.length);
  return fitting.toSorted((one, other) => other.length - one.length)[0];
}
