import type { Message } from "../http/test-served.ts";
import { schemaOf } from "./graph.ts";
import type { Row } from "./row.ts";

type Known = Readonly<Record<string, unknown>>;

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minItems?: number;
  readonly minimum?: number;
}

/** Returns a value of a schema, with as little in it as the schema allows. @param known values of fields by name */
function least(schema: Schema, known: Known, name = ""): unknown {
  if (Object.hasOwn(known, name)) return known[name];
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[1];
  if (schema.anyOf !== undefined) return least(schema.anyOf[0] ?? {}, known, name);
  switch (schema.type ?? "anything") {
    case "object": {
      const { properties = {}, required = [] } = schema;
      return Object.fromEntries(required.map((each) => [each, least(properties[each] ?? {}, known, each)]));
    }
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items ?? {}, known));
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return "some";
  }
}

/** Returns a message of a type, with as little in it as its schema allows. @param known values of fields by name */
export function leastMessage(row: Row, known: Known): Message {
  return { ...(least(schemaOf(row), known) as object), type: row.type };
}
