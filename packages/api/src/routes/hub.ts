import type { Cursors } from "@ledge/kernel";
import {
  categories,
  type CategoryType,
  type Command,
  houseTypes,
  HubMetaData,
  HubUser,
  type Language,
  limits,
  Name,
  textOf,
  timezones,
} from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import { languageAsked } from "../language.ts";
import type { Parameters } from "../query.ts";
import type { PollWaits } from "../poll-waits.ts";
import { type Call, row } from "../row.ts";
import { submitFor } from "../submit.ts";
import { pairIp } from "./pair-ip.ts";
import { protocols } from "./protocols.ts";
import { rf433 } from "./rf433.ts";
import { scan } from "./scan.ts";
import { bridges, zigbee } from "./zigbee.ts";
import { autoconfig } from "./autoconfig.ts";
import { activateFeature } from "./activate-feature.ts";
import { claim } from "./claim.ts";
import { machine } from "./machine.ts";
import { remotePair } from "./remote-pair.ts";

const PollDelta = Type.Object({
  type: Type.Literal("POLL_DELTA"),
  timestamp: Type.Integer(),
  full: Type.Boolean(),
  polls: Type.Array(Type.Object({ type: Type.String(), timestamp: Type.Integer() })),
});

const Cursor = Type.Optional(Type.Integer());
const cursorParameters: Record<string, typeof Cursor> = Object.fromEntries(
  categories.map(({ cursor }) => [cursor, Cursor]),
);
const PollQuery: Type.TObject = Type.Object({
  ts: Type.Optional(Type.Integer({ description: "timestamp of the last answer; none or 0 for everything" })),
  ...cursorParameters,
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.pollWaitMs,
      description: "ms to wait with `ts` while there is nothing new; 0 by default",
    }),
  ),
  vendor_uuid: Type.Optional(
    Type.String({ description: "the client's own stable id; any name in _uuid will do" }),
  ),
});

export const hub = [
  row({
    method: "GET",
    path: "/hub",
    unversioned: true,
    summary: "What this hub is",
    access: "ANONYMOUS",
    past: "IDENTIFIED_USER",
    result: HubMetaData,
    handle({ hub: ports }) {
      const { id, name, state, features } = hubOf(ports);
      const { version, connected } = ports.meta();
      return {
        type: "HUB_META_DATA" as const,
        hubId: id,
        name,
        version,
        state,
        connected,
        features: [...features],
      };
    },
  }),
  row({
    method: "GET",
    path: "/hub/keycheck",
    summary: "The role that the credential gives, 1 without one",
    access: "ANONYMOUS",
    identifies: true,
    result: Type.Object({ role: Type.Integer() }),
    handle: ({ caller }) => ({ role: caller.role }),
  }),
  claim,
  row({
    method: "PUT",
    path: "/hub/name",
    summary: "Names the hub, and sets the house type with it",
    access: "USER_ADMIN",
    query: Type.Object({ name: Name, housetype: Type.Optional(Type.String()) }),
    result: Type.Literal(true),
    handle(call) {
      const { name, housetype } = call.query;
      const command = { type: "RENAME_HUB", id: call.hub.hubId, name, housetype } as Command;
      return submitFor(call, [command], true as const);
    },
  }),
  row({
    method: "GET",
    path: "/hub/poll",
    summary: "What changed since a timestamp",
    access: "GUEST",
    query: PollQuery,
    result: PollDelta,
    handle(call) {
      const { caller, query } = call;
      const { kernel, presence } = call.hub;
      const asked = languageAsked(call.header("accept-language"));
      if (caller.user !== null) presence.polled(caller.user, clientIn(query), asked);
      if (query["wait"] !== undefined) return waited(call, asked);
      return kernel.poll({ viewer: caller, cursors: cursorsIn(query), language: asked ?? "en" });
    },
  }),
  row({
    method: "GET",
    path: "/hub/colors",
    summary: "Colours that users keep, the oldest first",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.Array(Type.String()),
    handle: ({ hub: ports }) => [...hubOf(ports).colors],
  }),
  row({
    method: "POST",
    path: "/hub/colors",
    summary: "Keeps a colour, #RRGGBB",
    access: "GUEST",
    query: Type.Object({ color: Type.String() }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(
        call,
        [{ type: "ADD_COLOR", id: call.hub.hubId, color: call.query.color } as Command],
        true as const,
      ),
  }),
  row({
    method: "DELETE",
    path: "/hub/colors",
    summary: "Forgets all colours",
    access: "GUEST",
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "CLEAR_COLORS", id: call.hub.hubId } as Command], true as const),
  }),
  ...zigbee,
  ...bridges,
  row({
    method: "POST",
    path: "/hub/lockconfig",
    summary: "Locks the configuration of every device; the owner unlocks them one by one",
    access: "USER_ADMIN",
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "LOCK_CONFIGURATION", id: call.hub.hubId } as Command], true as const),
  }),
  row({
    method: "GET",
    path: "/hub/users",
    summary: "The users of the hub",
    access: "GUEST",
    past: "USER_ADMIN",
    result: Type.Record(Type.String(), HubUser),
    handle: ({ caller, language, hub: { kernel } }) => kernel.dictionary("user", caller, language),
  }),
  row({
    method: "GET",
    path: "/hub/tz",
    summary: "The hub's time zone",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.String(),
    handle: ({ hub: ports }) => hubOf(ports).timezone,
  }),
  row({
    method: "PUT",
    path: "/hub/tz",
    summary: "Sets the hub's time zone",
    access: "USER_ADMIN",
    query: Type.Object({ timezone: Type.String({ minLength: 1, maxLength: 64 }) }),
    result: Type.String(),
    handle(call) {
      const { timezone } = call.query;
      const command = { type: "SET_TIMEZONE", id: call.hub.hubId, timezone } as Command;
      return submitFor(call, [command], timezone);
    },
  }),
  row({
    method: "GET",
    path: "/hub/housetypes",
    summary: "Names of the house types by code",
    access: "ANONYMOUS",
    result: Type.Record(Type.String(), Type.String()),
    handle: ({ language }) =>
      Object.fromEntries(houseTypes.map((code) => [code, textOf(`housetype.${code}`, language)])),
  }),
  row({
    method: "GET",
    path: "/hub/housetype",
    summary: "The code of the house type",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.String(),
    handle: ({ hub: ports }) => hubOf(ports).housetype,
  }),
  row({
    method: "PUT",
    path: "/hub/housetype",
    summary: "Sets the house type",
    access: "USER_ADMIN",
    query: Type.Object({ housetype: Type.String() }),
    result: Type.String(),
    handle(call) {
      const { housetype } = call.query;
      const command = { type: "SET_HOUSE_TYPE", id: call.hub.hubId, housetype } as Command;
      return submitFor(call, [command], housetype);
    },
  }),
  row({
    method: "GET",
    path: "/hub/timezones",
    summary: "Time zones that the hub knows",
    access: "GUEST",
    result: Type.Array(Type.String()),
    handle: () => [...timezones()],
  }),
  ...rf433,
  ...scan,
  row({
    method: "GET",
    path: "/hub/features",
    summary: "Codes of the features that are on",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.Array(Type.Integer()),
    handle: ({ hub: ports }) => [...hubOf(ports).features],
  }),
  activateFeature,
  ...pairIp,
  ...protocols,
  ...machine,
  remotePair,
  autoconfig,
];

/** Answers when there is something new for the caller. Clients with legacy cursors do not wait. */
function waited(call: Call<Readonly<Parameters>>, asked: Language | null): ReturnType<PollWaits["answer"]> {
  const { caller, query, rights, listener } = call;
  const { kernel, presence, pollWaits } = call.hub;
  const { user } = caller;
  const cursors = cursorsIn(query);
  const language = asked ?? "en";
  const waitMs = query["wait"] as number;
  if (waitMs === 0 || !("ts" in cursors)) return kernel.poll({ viewer: caller, cursors, language });
  const client = clientIn(query);
  const seen = (): void => {
    if (user !== null) presence.polled(user, client, asked);
  };
  return pollWaits.answer({
    ts: cursors.ts,
    language,
    waitMs,
    isRemote: listener === "remote",
    rights,
    seen,
  });
}

/** `ts` before the legacy cursors, each of which selects its category; without any, everything. */
function cursorsIn(query: Readonly<Parameters>): Cursors {
  const { ts } = query;
  if (typeof ts === "number") return { ts };
  let byCategory: Map<CategoryType, number> | undefined;
  for (const { cursor, type } of categories) {
    const value = query[cursor];
    if (typeof value === "number") (byCategory ??= new Map()).set(type, value);
  }
  return byCategory === undefined ? { ts: 0 } : { byCategory };
}

/** The client's id goes by as many names as there are brands of clients; all end alike (wire-facts 0). */
function clientIn(query: Readonly<Parameters>): string | null {
  for (const name in query) {
    const value = query[name];
    if (name.endsWith("_uuid") && typeof value === "string" && value !== "")
      return value.slice(0, limits.idChars);
  }
  return null;
}
