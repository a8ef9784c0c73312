export { Graph, schemaOf as graphFields } from "./graph.ts";
export { bases } from "./row.ts";
export { graphRows } from "./rows.ts";
