import { parseEventRef } from "@ledge/model";
import Type from "typebox";
import type { HubPorts } from "./ports.ts";
import type { Asker, PastRow } from "./past-questions.ts";
import { invalid, notFound, type Refused } from "./refused.ts";
import { type Call, type Row, rowName } from "./row.ts";

/** Returns the asker of a call: role, user and language. */
export function askerOf({
  caller: { role, user, since },
  language,
}: Pick<Call, "caller" | "language">): Asker {
  return { viewer: { role, user, since }, language };
}

/** Refuses a time (ms) that has not come. Compares with the log too, as commits may be slightly ahead of the clock. */
export function refusedAhead(
  field: string,
  timestamp: number | null | undefined,
  { kernel }: Pick<HubPorts, "kernel">,
): Refused | undefined {
  const isAhead = typeof timestamp === "number" && timestamp > kernel.now() && timestamp > kernel.timestamp;
  return isAhead ? invalid([{ field, message: "lies ahead" }]) : undefined;
}

/** Refuses a page of events that is to end `before` something that is no reference to an event. */
export function refusedPage({ before }: { readonly before?: string | undefined }): Refused | undefined {
  if (before === undefined || parseEventRef(before) !== undefined) return undefined;
  return invalid([{ field: "before", message: "is no reference to an event" }]);
}

/** Parses the reader's JSON answer. Its form depends on the task. */
export function told(answer: Uint8Array): unknown {
  return JSON.parse(Buffer.from(answer).toString());
}

/** The query parameter that asks a row for its answer at an earlier time. */
export const At = Type.Optional(
  Type.Integer({ minimum: 0, description: "how it was then (ms since the epoch)" }),
);

/** Returns a row's query schema, with `at` if the row can answer for the past. */
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
    keyId: undefined,
    address: "",
    rights: { now: () => call.caller },
    parameter: () => "",
    admitted: () => true,
  };
  return row.handle(call);
}
