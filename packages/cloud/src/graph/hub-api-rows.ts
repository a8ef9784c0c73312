import { limits } from "@ledge/model";
import Type from "typebox";
import { Failed } from "./errors.ts";
import facts from "./hub-api.json" with { type: "json" };
import { type HubApiType, hubApiTypes } from "./hub-api-types.ts";
import type { HubCall } from "./hub-calls.ts";
import { type GraphCall, row, type Row } from "./row.ts";

/** A JSON Schema of an object, as the hub API has it. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  readonly required?: readonly string[];
}

/** A row of the hub API. `scripts/hub-api.ts` writes them into hub-api.json. */
export interface HubApiFacts {
  readonly summary: string;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  readonly result: object;
}

const factsOf = facts as unknown as Readonly<Record<string, HubApiFacts>>;

type Fields = Readonly<Record<string, unknown>>;

/** Types that are rows of the hub API: the hub decides, with the rights that the caller has there. */
export const hubApiRows: readonly Row[] = hubApiTypes.map((each) => {
  const known = factsOf[each.row];
  if (known === undefined) throw new Error(`hub-api.json lacks ${each.row}: run scripts/hub-api.ts`);
  return row({
    type: each.type,
    summary: known.summary,
    scope: "hub",
    right: each.right ?? "R",
    fields: fieldsOf(each, known),
    result: { status: Type.Integer(), value: Type.Unsafe<unknown>(known.result) },
    handle: (call) => answerOf(callOf(each, known, call.fields), call),
  });
});

function fieldsOf({ list }: HubApiType, { query, body }: HubApiFacts): Type.TProperties {
  const ofBody =
    list === undefined || body === undefined
      ? propertiesOf(body)
      : { [list]: Type.Array(Type.Unsafe<unknown>(body), { maxItems: limits.listItems }) };
  return { ...propertiesOf(query), ...ofBody };
}

/** Returns an object's properties; those with one possible value, such as `type`, are filled in. */
function propertiesOf({ properties = {}, required = [] }: ObjectSchema = {}): Type.TProperties {
  const found: Type.TProperties = {};
  for (const [name, schema] of Object.entries(properties)) {
    if ("const" in schema) continue;
    const field = Type.Unsafe<unknown>(schema);
    found[name] = required.includes(name) ? field : Type.Optional(field);
  }
  return found;
}

/** Returns the call of the hub API that a message stands for. */
function callOf({ row: name, list }: HubApiType, { query, body }: HubApiFacts, fields: Fields): HubCall {
  const [method = "", path = ""] = name.split(" ");
  const call = { method, path, query: picked(query, fields) };
  if (body === undefined) return call;
  return { ...call, body: list === undefined ? picked(body, fields) : fields[list] };
}

function picked({ properties = {} }: ObjectSchema = {}, fields: Fields): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value = "const" in schema ? schema.const : fields[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Calls the hub and returns what it says. */
async function answerOf(
  call: HubCall,
  asked: GraphCall<"hub", unknown>,
): Promise<{ status: number; value: unknown } | Failed> {
  const answer = await asked.parts.hubCalls.call(call, asked);
  return answer instanceof Failed ? answer : { ...answer };
}

/** A path below `/cc/<version>`, in plain segments: nothing that a server might resolve to another path. */
const Path = Type.String({ maxLength: 200, pattern: "^(?:/[A-Za-z0-9_-]+)+$" });
const Query = Type.Optional(
  Type.Record(
    Type.String({ maxLength: limits.nameChars }),
    Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  ),
);
const called = { status: Type.Integer(), value: Type.Unknown() };

/** Rows that no user may call through the cloud, or that answer with endless streams. */
const closed: ReadonlySet<string> = new Set(["/events", "/log", "/metrics", "/hub/claim"]);
/** Rows with GET that act all the same. */
const acting: ReadonlySet<string> = new Set([
  "/hub/sync",
  "/hub/restart",
  "/hub/reboot",
  "/hub/shutdown",
  "/hub/scan",
  "/hub/stopscan",
  "/hub/zigbeescan",
]);

/** Types that call any other row of the hub API. */
export const callRows = [
  row({
    type: "CallHubQuery",
    summary: "Calls a row of the hub API that has no type of its own, with GET",
    scope: "hub",
    right: "R",
    fields: { path: Path, query: Query },
    result: called,
    handle(call) {
      const { path, query = {} } = call.fields;
      if (acting.has(path))
        return new Failed("E_INVALID", `${path} acts: send a CallHubCommand`, { field: "path" });
      return notClosed(path) ?? answerOf({ method: "GET", path, query }, call);
    },
  }),
  row({
    type: "CallHubCommand",
    summary: "Calls a row of the hub API that has no type of its own",
    scope: "hub",
    right: "R",
    fields: {
      method: Type.Enum(["GET", "PUT", "POST", "DELETE"]),
      path: Path,
      query: Query,
      body: Type.Optional(Type.Unknown()),
    },
    result: called,
    handle(call) {
      const { method, path, query = {}, body } = call.fields;
      return notClosed(path) ?? answerOf({ method, path, query, body }, call);
    },
  }),
];

function notClosed(path: string): Failed | undefined {
  if (!closed.has(path)) return undefined;
  return new Failed("E_NOT_SUPPORTED", `${path} cannot be called through the cloud`, { field: "path" });
}
