import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { Id } from "./schema.ts";

/** Who has called what through the relay, how often since this was last said, and how that was answered. */
const Calls = {
  /** Null: nobody that the hub knows. */
  user: Type.Union([Type.String(), Type.Null()]),
  /** As `GET /rooms`. Null: no row, or calls that were too different to be told apart. */
  row: Type.Union([Type.String(), Type.Null()]),
  /** Of HTTP. Null: calls that were too different to be told apart. */
  status: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Integer({ minimum: 1 }),
};

const NoteRemoteCalls = Type.Object({ type: Type.Literal("NOTE_REMOTE_CALLS"), id: Id, ...Calls });
export type NoteRemoteCalls = Type.Static<typeof NoteRemoteCalls>;

export const RemoteCalled = telemetry(defineEvent("RemoteCalled", 1, Calls));
export type RemoteCalled = EventOf<typeof RemoteCalled>;

/** Calls are noted as they were told. */
export function decideRemoteCalls(calls: NoteRemoteCalls): Decision<RemoteCalled> {
  return [{ ...calls, type: "RemoteCalled" }];
}
