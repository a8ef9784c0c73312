import Type from "typebox";
import type { HubPorts } from "./ports.ts";
import type { Asker, PastRow } from "./past-questions.ts";
import { invalid, notFound, type Refused } from "./refused.ts";
import { type Call, type Row, rowName } from "./row.ts";

/** Who a call is by, as far as the reader may know. */
export function askerOf({
  caller: { role, user, since },
  language,
}: Pick<Call, "caller" | "language">): Asker {
  return { viewer: { role, user, since }, language };
}

/** A refusal of a time (ms) that has not come, undefined for others and none: commits may be a little ahead of the clock. */
export function refusedAhead(
  field: string,
  timestamp: number | null | undefined,
  { kernel }: Pick<HubPorts, "kernel">,
): Refused | undefined {
  const isAhead = typeof timestamp === "number" && timestamp > kernel.now() && timestamp > kernel.timestamp;
  return isAhead ? invalid([{ field, message: "lies ahead" }]) : undefined;
}

/** What the reader has answered, of which the task says the form. */
export function told(answer: Uint8Array): unknown {
  return JSON.parse(Buffer.from(answer).toString());
}

/** The parameter that asks a row how it was. */
export const At = Type.Optional(
  Type.Integer({ minimum: 0, description: "how it was then (ms since the epoch)" }),
);

/** The query of a row, with what is asked of rows that look back. */
export function queryOf({ query = Type.Object({}), past }: Pick<Row, "query" | "past">): Type.TObject {
  return past !== undefined ? Type.Object({ ...query.properties, at: At }) : query;
}

/**
 * What a row answers over a hub as it was. Nobody asks whether the caller may: the gates have.
 * @param ports those of a hub whose kernel shows how it was
 * @throws what the row's handler throws
 */
export function answerPast(
  rows: readonly Row[],
  { row: name, query, listener, id }: PastRow,
  asker: Asker,
  ports: HubPorts,
): unknown {
  const row = rows.find((one) => one.past !== undefined && rowName(one) === name);
  if (row === undefined) return notFound();
  const { viewer, language } = asker;
  const call: Call = {
    caller: { ...viewer, origin: "system" },
    query,
    body: undefined,
    language,
    hub: ports,
    api: { document: new Uint8Array(), metrics: () => "" },
    id,
    listener,
    isList: false,
    signal: new AbortController().signal,
    header: () => undefined,
    admitted: () => true,
  };
  return row.handle(call);
}
