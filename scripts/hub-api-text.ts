import { type Row, rowName, rows } from "@ledge/api";
import { hubApiTypes } from "@ledge/cloud/hub-api";

/** Returns the JSON of the hub API's rows that have a type of their own in Graph, by method and path. */
export function hubApiText(): string {
  const lines = hubApiTypes.map(({ row: name }) => {
    const row = rows.find((each) => rowName(each) === name);
    if (row === undefined) throw new Error(`the hub has no row ${name}`);
    return `  ${JSON.stringify(name)}: ${JSON.stringify(factsOf(row))}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

function factsOf(row: Row): object {
  const { summary, body, result } = row;
  const query = withPast(row);
  return { summary, ...(query && { query }), ...(body && { body }), result };
}

/** Returns the schema of a row's query, with `at` where the row also says how it was at a time. */
function withPast({ query, past }: Row): object | undefined {
  if (past === undefined) return query;
  const at = { type: "integer", minimum: 0, description: "ms since the epoch: as it was then" };
  return { type: "object", ...query, properties: { ...query?.properties, at } };
}
