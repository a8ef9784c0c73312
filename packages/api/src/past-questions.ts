import type { Viewer } from "@ledge/kernel";
import {
  type CustomRule,
  Id,
  type Language,
  limits,
  type RestorableKind,
  type RuleConfig,
} from "@ledge/model";
import Type from "typebox";
import type { Listener } from "./listener.ts";
import type { Refused } from "./refused.ts";

/** What can be asked about the past: by task, plain data. A slice adds a line. */
export interface PastTasks {
  readonly row: PastRow;
  readonly audit: AuditQuestion;
  readonly timeline: TimelineQuestion;
  readonly whatif: PastWhatIf;
  readonly why: PastWhy;
  readonly undo: UndoQuestion;
  readonly firings: PastFirings;
  readonly "rule-log": RuleLogQuestion;
  readonly history: PastHistory;
  readonly sums: PastSums;
  readonly "dry-run": PastDryRun;
}
export type PastTask = keyof PastTasks;

/** Who asks, with the rights of today. */
export interface Asker {
  readonly viewer: Viewer;
  readonly language: Language;
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

/** What attributes of devices came to, by the hour, day or month of a time zone. */
export interface PastSums {
  readonly series: readonly { readonly deviceId: string; readonly attribute: string }[];
  readonly bucket: "hour" | "day" | "month";
  readonly timezone: string;
  /** ms, both within. */
  readonly from: number;
  readonly to: number;
  /** Whether to tell what energy cost. */
  readonly prices: boolean;
}

/** The query of a question for who did what. */
export const AuditQuery = Type.Object({
  from: Type.Optional(Type.Integer({ minimum: 0, description: "ms since the epoch, itself included" })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: "ms since the epoch, itself included" })),
  user: Type.Optional(Id),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: limits.idChars, description: "of an object" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.auditEntries })),
  before: Type.Optional(Type.String({ description: "reference of an event: what came before it" })),
});
/** Asks who did what. */
export type AuditQuestion = Type.Static<typeof AuditQuery>;

/** The query of a question for what happened. */
const { user: _, ...timelineParts } = AuditQuery.properties;
export const TimelineQuery = Type.Object({
  ...timelineParts,
  room: Type.Optional(Id),
  kind: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.idChars, description: "of objects, such as device" }),
  ),
  root: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.idChars,
      description: "of an entry: what followed from it",
    }),
  ),
  counts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.timelineCounts,
      description: "slices of from..to to count in",
    }),
  ),
});
/** Asks what happened. */
export type TimelineQuestion = Type.Static<typeof TimelineQuery>;

/** What is tried: CONFIGs with ids, checked. */
export interface PastWhatIf {
  readonly rules: readonly RuleConfig[];
  readonly replaces: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly on: "always" | "recorded";
  /** Those that the rules are of. */
  readonly customRules: readonly CustomRule[];
}

/** Rules whose firings are counted, each alone. */
export interface PastFirings {
  readonly rules: readonly RuleConfig[];
  readonly customRules: readonly CustomRule[];
  /** ms since the epoch. */
  readonly since: number;
}

/** What is tried: rules of a custom rule that is not installed. */
export interface PastDryRun {
  readonly rules: readonly RuleConfig[];
  readonly customRule: CustomRule;
  /** ms since the epoch. */
  readonly since: number;
}

/** What the reader of the log is asked for. */
export interface RuleLogQuestion {
  /** Ids of rules. */
  readonly rules: readonly string[];
  readonly limit: number;
  /** Timestamp (ms); only what is older. */
  readonly before: number | null;
}

/** Asks what an object's settings were: at a time (ms), or before their last change. */
export interface UndoQuestion {
  readonly kind: RestorableKind;
  readonly id: string;
  readonly to?: number | undefined;
}
