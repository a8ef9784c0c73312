import Type from "typebox";
import type { Decision } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { Id } from "./schema.ts";

/** Equal calls through the relay since the last note: who called what, how often, and the answer. */
const Calls = {
  /** Null: a user that the hub does not know. */
  user: Type.Union([Type.String(), Type.Null()]),
  /** Such as `GET /rooms`. Null: no row, or too many different calls to tell apart. */
  row: Type.Union([Type.String(), Type.Null()]),
  /** The HTTP status. Null: too many different calls to tell apart. */
  status: Type.Union([Type.Integer(), Type.Null()]),
  count: Type.Integer({ minimum: 1 }),
};

const NoteRemoteCalls = Type.Object({ type: Type.Literal("NOTE_REMOTE_CALLS"), id: Id, ...Calls });
export type NoteRemoteCalls = Type.Static<typeof NoteRemoteCalls>;

export const RemoteCalled = telemetry(defineEvent("RemoteCalled", 1, Calls));
export type RemoteCalled = EventOf<typeof RemoteCalled>;

/** Notes calls as they are. */
export function decideRemoteCalls(calls: NoteRemoteCalls): Decision<RemoteCalled> {
  return [{ ...calls, type: "RemoteCalled" }];
}
