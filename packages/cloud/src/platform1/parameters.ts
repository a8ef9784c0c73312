import { listFilters, textFilters } from "@ledge/fleet";
import { limits } from "@ledge/model";
import type { Row1 } from "./row.ts";

type Fields = Record<string, unknown>;

/**
 * Returns the fields of a message that are parameters of the URL. What is no number or boolean where one is
 * expected stays a text, and the schema of the message refuses it.
 */
export function fieldsIn(parameters: URLSearchParams, query: Row1["query"]): Fields {
  if (query === undefined) return {};
  if (Array.isArray(query)) return texts(parameters, query as readonly string[]);
  const page = texts(parameters, ["next", "prev"]);
  const size = parameters.get("pageSize");
  if (size !== null) page["pageSize"] = /^\d{1,9}$/.test(size) ? Number(size) : size;
  if (query === "page") return page;
  return { ...page, ...(query === "entities" ? texts(parameters, ["globPattern"]) : listFields(parameters)) };
}

function listFields(parameters: URLSearchParams): Fields {
  const fields = texts(parameters, ["orderBy", "search"]);
  const descending = parameters.get("descending");
  if (descending !== null)
    fields["descending"] = descending === "true" || (descending === "false" ? false : descending);
  const given = texts(parameters, textFilters);
  for (const name of listFilters) {
    const values = parameters.getAll(name).slice(0, limits.filterValues + 1);
    if (values.length > 0) given[name] = values;
  }
  return { ...fields, filters: given };
}

function texts(parameters: URLSearchParams, names: readonly string[]): Fields {
  const fields: Fields = {};
  for (const name of names) {
    const value = parameters.get(name);
    if (value !== null) fields[name] = value;
  }
  return fields;
}
