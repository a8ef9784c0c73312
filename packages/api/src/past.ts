import type { Viewer } from "@ledge/kernel";
import type { Language } from "@ledge/model";
import Type from "typebox";
import type { HubPorts, Listener } from "./ports.ts";
import type { PastDryRun, RuleLogQuestion } from "./routes/custom-rules.ts";
import { invalid, notFound, type Refused } from "./refused.ts";
import type { AuditQuestion } from "./routes/audit.ts";
import type { PastFirings, PastWhatIf } from "./routes/what-if.ts";
import { type Call, type Row, rowName } from "./row.ts";
import type { UndoQuestion } from "./undoing.ts";

/** What can be asked about the past: by task, plain data. A slice adds a line. */
export interface PastTasks {
  readonly row: PastRow;
  readonly audit: AuditQuestion;
  readonly whatif: PastWhatIf;
  readonly why: PastWhy;
  readonly undo: UndoQuestion;
  readonly firings: PastFirings;
  readonly "rule-log": RuleLogQuestion;
  readonly history: PastHistory;
  readonly "dry-run": PastDryRun;
}
export type PastTask = keyof PastTasks;

/** Who asks, with the rights of today. */
export interface Asker {
  readonly viewer: Viewer;
  readonly language: Language;
}

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

/** Reads the log beside the hub's own work. One question at a time for each caller. */
export interface PastReader {
  /** @returns the answer's JSON, or why there is none */
  ask<T extends PastTask>(
    task: T,
    args: PastTasks[T],
    asker: Asker,
    options?: AskingPast,
  ): Promise<Uint8Array | Refused>;
}

export interface AskingPast {
  /** Default: `limits.pastBudgetMs`. A question that may take longer does not hold up the others. */
  readonly budgetMs?: number;
  /** Gives the question up. */
  readonly signal?: AbortSignal;
}

/** Why an attribute of an object is as it is, or, with `not`, why rules did nothing; `at`: of then (ms). */
export interface PastWhy {
  readonly id: string;
  readonly attribute?: string;
  readonly not?: boolean;
  readonly at?: number;
}

/** A row that is asked how it was. */
export interface PastRow {
  /** As `rowName`. */
  readonly row: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Timestamp (ms). */
  readonly at: number;
  readonly listener: Listener;
  /** Names the request. */
  readonly id: string;
}

/** What a device has reported. */
export interface PastHistory {
  readonly deviceId: string;
  /** Left out: of which attributes something is known. */
  readonly attribute?: string | undefined;
  /** ms, both within; left out: the last day, until now. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly points: number;
  /** Whether the hub knows the device now, and it has the attribute. */
  readonly isKnown: boolean;
  readonly hasAttribute: boolean;
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
