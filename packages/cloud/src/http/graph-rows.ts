import { limits } from "@ledge/model";
import Type from "typebox";
import type { Graph } from "../graph/graph.ts";
import type { Kind } from "../graph/row.ts";
import { type Row, row } from "./row.ts";

/** Rows of Graph (platform-api 4.1). */
export function graphRows(graph: Graph): readonly Row[] {
  return [graphRow("PUT", "command", graph), graphRow("POST", "query", graph)];
}

function graphRow(method: "PUT" | "POST", kind: Kind, graph: Graph): Row {
  return row({
    method,
    path: `/${kind}`,
    who: "account",
    countsItself: true,
    from: "json",
    fields: Type.Object({}),
    bodyBytes: limits.graphBodyBytes,
    handle: ({ caller: { account }, address, fields, signal, header }) =>
      graph.answer(fields, { account: account.id, address }, kind, {
        traceparent: header("traceparent"),
        signal,
      }),
  });
}
