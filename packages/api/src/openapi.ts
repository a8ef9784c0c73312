import { Device, Group, HubMetaData, HubUser, Preset, Room, Scene, Zone } from "@ledge/model";
import Type from "typebox";
import { queryOf } from "./past.ts";
import { type Row, rowName } from "./row.ts";
import { apiVersion } from "./version.ts";

type Json = Readonly<Record<string, unknown>>;

/** Schemas that many rows share; elsewhere they are named, not repeated. */
const named: ReadonlyMap<Type.TSchema, string> = new Map<Type.TSchema, string>([
  [Device, "Device"],
  [Group, "Group"],
  [HubMetaData, "HubMetaData"],
  [HubUser, "HubUser"],
  [Preset, "Preset"],
  [Room, "Room"],
  [Scene, "Scene"],
  [Zone, "Zone"],
]);

const ErrorBody = Type.Object({
  message: Type.String(),
  errors: Type.Optional(
    Type.Array(
      Type.Object({ index: Type.Optional(Type.Integer()), field: Type.String(), message: Type.String() }),
    ),
  ),
});

const failures: Readonly<Record<string, string>> = {
  "401": "The credential is missing, invalid or expired.",
  "403": "The caller's role, or a feature that is off, does not allow it.",
  "404": "The resource or the path does not exist.",
  "410": "The version in the path is no longer served.",
  "413": "The body is too large.",
  "422": "The request is invalid, or the state of what it is about does not allow it.",
  "429": "Too many requests.",
  "500": "The hub failed.",
  "503": "The hub is busy or stopping.",
  "507": "Nothing can be changed now: the disk is full, or the log cannot be opened. The message says which.",
};

/**
 * The OpenAPI 3.1 document of the rows.
 * @param version of the hub, four components.
 */
export function openApiDocument(rows: readonly Row[], version: string): Json {
  const prefix = `/cc/${apiVersion(version)}`;
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows) {
    const shown = row.path.replaceAll(/:(\w+)/g, "{$1}");
    const path = row.unversioned ? shown : `${prefix}${shown}`;
    (paths[path] ??= {})[row.method.toLowerCase()] = operation(row);
  }
  const schemas: Record<string, unknown> = { Error: ErrorBody };
  for (const [schema, name] of named) schemas[name] = schema;
  const responses = Object.fromEntries(
    Object.entries(failures).map(([status, description]) => [
      `Failure${status}`,
      { description, content: { "application/json": { schema: reference("Error") } } },
    ]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Hub API",
      version,
      description: "Writes are answered once they are durable. Times are in ms since the epoch.",
    },
    servers: [
      {
        url: "http://{host}:8893",
        description: "On the local network",
        variables: { host: { default: "localhost" } },
      },
      {
        url: "{relay}",
        description: "Through the relay of the cloud",
        variables: { relay: { default: "https://localhost/ui/0.2/hub/remote" } },
      },
    ],
    paths,
    components: { schemas, responses, securitySchemes },
  };
}

const securitySchemes = {
  hubKey: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "The HubKey, raw: local calls",
  },
  cloudToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "The cloud token: relayed calls",
  },
  relayedHubKey: {
    type: "apiKey",
    in: "header",
    name: "X-Hub-Key",
    description: "The HubKey, raw: relayed calls",
  },
};

const recordedHeader = {
  "Ledge-Recorded": {
    description:
      "`false`: the hub is read-only, the devices were commanded, and neither log nor poll will show it. Else absent.",
    schema: { type: "string", enum: ["false"] },
  },
};

function operation(row: Row): Json {
  const { summary, body, list, result, asJson, switches, contentType = "application/json" } = row;
  const parts: Record<string, unknown> = {
    operationId: operationId(row),
    summary,
    tags: [row.path.split("/")[1] ?? ""],
    description: accessText(row),
    security: security(row),
    responses: {
      "200": {
        description: "Done.",
        ...(switches && { headers: recordedHeader }),
        content: {
          [contentType]: { schema: refer(result) },
          ...(asJson && { "application/json": { schema: refer(asJson) } }),
        },
      },
      ...Object.fromEntries(
        statuses(row).map((status) => [status, { $ref: `#/components/responses/Failure${status}` }]),
      ),
    },
  };
  const query = row.query === undefined && row.past === undefined ? undefined : queryOf(row);
  const places = [...row.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  if (query !== undefined || places.length > 0)
    parts["parameters"] = [...places, ...(query === undefined ? [] : parameters(query))];
  if (body !== undefined) {
    const item = refer(body);
    const schema = list ? { anyOf: [{ type: "array", items: item }, item] } : item;
    parts["requestBody"] = { required: true, content: { "application/json": { schema } } };
  }
  return parts;
}

function accessText({ access, remote, feature, since }: Row): string {
  const parts = [`Access: ${access}`];
  if (remote === "refused") parts.push("not through the relay");
  else if (remote !== undefined) parts.push(`through the relay ${remote}`);
  if (feature !== undefined) parts.push(`feature ${feature}`);
  if (since !== undefined) parts.push(`since ${since}`);
  return `${parts.join("; ")}.`;
}

function security({ access, remote, identifies }: Row): readonly Json[] {
  const local = { hubKey: [] };
  const keys = remote === "refused" ? [local] : [local, { cloudToken: [], relayedHubKey: [] }];
  if (access !== "ANONYMOUS") return keys;
  return identifies ? [{}, ...keys] : [{}];
}

function statuses({ access, identifies, method, body, query, unversioned, past }: Row): string[] {
  const isWrite = method !== "GET";
  const found = new Set(["404", "429", "500"]);
  if (access !== "ANONYMOUS" || identifies) found.add("401").add("403");
  if (!unversioned) found.add("410");
  if (query !== undefined || body !== undefined) found.add("422");
  if (body !== undefined) found.add("413");
  if (past !== undefined) for (const status of ["401", "403", "422", "503"]) found.add(status);
  if (isWrite) for (const status of ["422", "503", "507"]) found.add(status);
  if (!isWrite && access === "ANONYMOUS") found.add("503");
  return [...found].toSorted();
}

function parameters(query: Type.TObject): readonly Json[] {
  const required = new Set(query.required ?? []);
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.has(name),
    schema: refer(schema),
  }));
}

/** `putRoomsOrder` for PUT /rooms/order. */
function operationId(row: Row): string {
  const words = rowName(row).split(/[^A-Za-z0-9]+/);
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema with references in place of those that have a name. */
function refer(schema: unknown): unknown {
  const name = named.get(schema as Type.TSchema);
  if (name !== undefined) return reference(name);
  if (Array.isArray(schema)) return schema.map(refer);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
}
