import { Id, limits, optionalOrNull, restorableKinds } from "@ledge/model";
import Type from "typebox";
import { askerOf, refusedAhead, told } from "../past.ts";
import { notFound, Refused } from "../refused.ts";
import { type Call, type Row, row } from "../row.ts";
import { submit, unconfigurable } from "../submit.ts";
import { mayEdit, type UndoFound, undoing } from "../undoing.ts";

const Kind = Type.Enum(restorableKinds);

const UndoRequest = Type.Object({
  kind: Kind,
  id: Id,
  /** How it was then (ms); else before its last change. */
  to: optionalOrNull(Type.Integer({ minimum: 0 })),
});

const Undone = Type.Object({
  type: Type.Literal("UNDONE"),
  kind: Kind,
  id: Id,
  /** The commit (ms) whose change was taken back, or `to`. */
  timestamp: Type.Integer(),
  /** False: it was like that. */
  changed: Type.Boolean(),
});

/** @param rows by which clients change what this puts back */
export function undo(rows: readonly Row[]): Row {
  return row({
    method: "POST",
    path: "/undo",
    summary: "Puts the settings of an object back: as before their last change, or as they were at a time",
    access: "IDENTIFIED_USER",
    body: UndoRequest,
    result: Undone,
    handle: (call) => putBack(call, rows),
  });
}

async function putBack(
  call: Call<unknown, Type.Static<typeof UndoRequest>>,
  rows: readonly Row[],
): Promise<Type.Static<typeof Undone> | Refused> {
  const { caller, listener, hub } = call;
  const { kind, id, to } = call.body;
  const ahead = refusedAhead("to", to, hub);
  if (ahead !== undefined) return ahead;
  const rights = { rows, role: caller.role, listener };
  const refused = mayEdit(kind, rights);
  if (refused !== undefined) return refused;
  const shown = kind === "configuration" ? "device" : kind;
  // What is gone nobody can be kept from seeing.
  const isHidden =
    hub.kernel.get(shown, id) !== undefined && shown !== "hub" && !hub.kernel.readable(shown, id, caller);
  if (isHidden) return notFound(`no ${kind} ${id}`);
  const locked = kind === "configuration" ? unconfigurable(call, [id]) : undefined;
  if (locked !== undefined) return locked;
  const question = { kind, id, ...(typeof to === "number" && { to }) };
  // Most changes are recent: only what is not waits for other long questions.
  const quick = await hub.past.ask("undo", question, askerOf(call));
  const isSlow = quick instanceof Refused && quick.status === 503;
  const answer = isSlow
    ? await hub.past.ask("undo", question, askerOf(call), { budgetMs: limits.undoBudgetMs })
    : quick;
  if (answer instanceof Refused) return answer;
  const found = told(answer) as UndoFound;
  if (!call.admitted()) return new Refused(403, "the role has changed: send it again");
  const commands = undoing(question, found, hub.kernel, rights);
  if (commands instanceof Refused) return commands;
  const done = await submit(call, commands);
  if (done instanceof Refused) return done;
  return { type: "UNDONE", kind, id, timestamp: found.timestamp, changed: commands.length > 0 };
}
