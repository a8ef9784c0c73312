import { orNull } from "@ledge/model";
import Type from "typebox";
import { askerOf, refusedPage } from "../past.ts";
import { AuditQuery } from "../past-questions.ts";
import { row } from "../row.ts";

const AuditEntry = Type.Object({
  /** Of the event. */
  ref: Type.String(),
  /** ms since the epoch. */
  at: Type.Integer(),
  /** Of the event. */
  type: Type.String(),
  origin: Type.String(),
  /** Null: no user did it. The name is blank of a user who is forgotten. */
  user: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Where it came from, as far as the log says. */
  from: orNull(Type.Enum(["local", "relay", "console", "cloud", "bus"])),
  object: orNull(Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() })),
  text: Type.String(),
});
export type AuditEntry = Type.Static<typeof AuditEntry>;

const Audit = Type.Object({
  type: Type.Literal("AUDIT"),
  /** The newest first. */
  entries: Type.Array(AuditEntry),
  /** What `before` is for the next page; null when there is nothing older. */
  next: orNull(Type.String()),
});
export type Audit = Type.Static<typeof Audit>;

export const audit = row({
  method: "GET",
  path: "/audit",
  summary: "Who did what, when and from where, the newest first",
  access: "USER_ADMIN",
  query: AuditQuery,
  result: Audit,
  handle(call) {
    const { query, hub } = call;
    return refusedPage(query) ?? hub.past.ask("audit", { ...query }, askerOf(call), { signal: call.signal });
  },
});
