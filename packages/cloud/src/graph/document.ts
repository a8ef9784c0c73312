import Type from "typebox";
import { requestSchemas } from "./envelope.ts";
import { GraphError } from "./errors.ts";
import { schemaOf } from "./graph.ts";
import type { Kind, Row } from "./row.ts";
import { scopesSaid } from "./scopes.ts";

type Json = Readonly<Record<string, unknown>>;

const methods = { command: "put", query: "post" } as const satisfies Readonly<Record<Kind, string>>;

/** Statuses that are answered with problem details (RFC 9457) instead of a result. */
const problems: Readonly<Record<string, string>> = {
  "400": "The body is not JSON.",
  "401": "The token is missing, invalid or expired.",
  "413": "The body is too large.",
  "422": "The body is no envelope.",
  "429": "The user has sent too many requests.",
};

const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String(),
});

/**
 * Returns the OpenAPI 3.1 document of Graph. Each type is a schema under its name, and its result one under
 * the name with `Result`.
 */
export function graphDocument(rows: readonly Row[]): Json {
  const schemas: Record<string, unknown> = { GraphError, Problem };
  for (const row of rows) {
    schemas[row.type] = messageSchema(row);
    schemas[`${row.type}Result`] = resultSchema(row, Type.Unsafe(reference("GraphError")));
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Graph",
      version: "3.0",
      description: "Commands are answered once they are durable. Times are in ms since the epoch.",
    },
    paths: {
      "/graph/command": { [methods.command]: operation("command", rows) },
      "/graph/query": { [methods.query]: operation("query", rows) },
    },
    components: {
      schemas,
      securitySchemes: {
        cloudToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "The cloud token, raw or after Bearer, or an access token of OAuth2",
        },
      },
    },
  };
}

/** Returns the schema of a message of a type. */
function messageSchema(row: Row): Type.TObject {
  const { properties } = schemaOf(row);
  return Type.Object(
    { type: Type.Literal(row.type), ...properties },
    { description: `${row.summary}. Right: ${row.right}. Scope of an access token: ${scopesSaid(row)}.` },
  );
}

/** Returns the schema of a type's result: what it is, or the error. @param error the schema of errors */
export function resultSchema({ type, result }: Row, error: Type.TSchema = GraphError): Type.TSchema {
  const named = { type: Type.Literal(`${type}Result`) };
  return Type.Union([Type.Object({ ...named, ...result }), Type.Object({ ...named, error })]);
}

function operation(kind: Kind, rows: readonly Row[]): Json {
  const types = rows.filter((row) => row.kind === kind).map(({ type }) => type);
  const common = requestSchemas[kind].properties;
  const { correlationId, traceparent } = common;
  const answer = Type.Object({
    result: Type.Unsafe({ anyOf: types.map((type) => reference(`${type}Result`)) }),
    correlationId: Type.Optional(Type.String()),
    traceparent: Type.String(),
  });
  const message = Type.Unsafe<unknown>({
    oneOf: types.map(reference),
    discriminator: { propertyName: "type" },
  });
  const request = Type.Object({ [kind]: message, correlationId, traceparent });
  return {
    operationId: kind,
    security: [{ cloudToken: [] }],
    requestBody: { required: true, content: { "application/json": { schema: request } } },
    responses: {
      "200": {
        description: "Carried out, or refused with `error` in the result.",
        content: { "application/json": { schema: answer } },
      },
      ...Object.fromEntries(
        Object.entries(problems).map(([status, description]) => [
          status,
          { description, content: { "application/problem+json": { schema: reference("Problem") } } },
        ]),
      ),
    },
  };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
