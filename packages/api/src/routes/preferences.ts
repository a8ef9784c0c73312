import { type Command, limits, type Preferences as Kept } from "@ledge/model";
import Type from "typebox";
import { invalid, notFound, type Refused } from "../refused.ts";
import { row } from "../row.ts";
import { submitFor } from "../submit.ts";

/** What clients keep, such as favourites. The hub does not read it. */
const Values = Type.Record(Type.String(), Type.Unknown());

const Preferences = Type.Object({
  type: Type.Literal("PREFERENCES"),
  values: Values,
  /** When they were set (ms since the epoch); null: never. */
  timestamp: Type.Union([Type.Integer(), Type.Null()]),
});
type Preferences = Type.Static<typeof Preferences>;

const SetPreferences = Type.Object({ type: Type.Optional(Type.Literal("PREFERENCES")), values: Values });
const noProfile = "the console has no preferences";

export const preferences = [
  row({
    method: "GET",
    path: "/hub/users/preferences",
    summary: "What clients keep for the caller, such as favourites",
    access: "GUEST",
    result: Preferences,
    handle({ caller: { user }, hub: { kernel } }) {
      return user === null ? notFound(noProfile) : shown(kernel.get("preferences", user));
    },
  }),
  row({
    method: "PUT",
    path: "/hub/users/preferences",
    summary: "Keeps something for the caller in the place of what was kept",
    access: "GUEST",
    body: SetPreferences,
    result: Type.Literal(true),
    handle(call) {
      const { user: id } = call.caller;
      if (id === null) return notFound(noProfile);
      const { values } = call.body;
      return (
        refusedLength(values) ?? submitFor(call, [command("SET_PREFERENCES", id, values)], true as const)
      );
    },
  }),
  row({
    method: "GET",
    path: "/hub/preferences",
    summary: "What clients keep for all users of the home",
    access: "GUEST",
    result: Preferences,
    handle: ({ hub: { kernel, hubId } }) => shown(kernel.get("homePreferences", hubId)),
  }),
  row({
    method: "PUT",
    path: "/hub/preferences",
    summary: "Keeps something for all users of the home in the place of what was kept",
    access: "USER_ADMIN",
    body: SetPreferences,
    result: Type.Literal(true),
    handle(call) {
      const { values } = call.body;
      const set = command("SET_HOME_PREFERENCES", call.hub.hubId, values);
      return refusedLength(values) ?? submitFor(call, [set], true as const);
    },
  }),
];

function shown(kept: Kept | undefined): Preferences {
  const values = JSON.parse(kept?.values ?? "{}") as Preferences["values"];
  return { type: "PREFERENCES", values, timestamp: kept?.timestamp ?? null };
}

function command(type: string, id: string, values: Preferences["values"]): Command {
  return { type, id, values: JSON.stringify(values) } as Command;
}

function refusedLength(values: Preferences["values"]): Refused | undefined {
  if (Buffer.byteLength(JSON.stringify(values)) <= limits.preferencesBytes) return undefined;
  return invalid([{ field: "values", message: `at most ${limits.preferencesBytes} bytes of JSON` }]);
}
