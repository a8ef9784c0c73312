import { type Decision, limits, reject } from "@ledge/model";
import type { EgressCommand } from "./egress-commands.ts";
import { type EgressEvent, egressEvents } from "./egress-events.ts";
import type { Egress, EgressSettings, EgressTarget } from "./egress-state.ts";
import { decideDelivery, targetAfter } from "./egress-delivery.ts";
import { keyOf, named } from "./resource-id.ts";
import type { CloudDecider } from "./states.ts";

/** What a header shows instead of its value, and what leaves the value as it is. */
export const hiddenHeader = "***";

export const egress: CloudDecider<Egress, EgressCommand, EgressEvent> = {
  kind: "egress",
  commands: [
    "CREATE_EGRESS_TARGET",
    "UPDATE_EGRESS_TARGET",
    "ROTATE_EGRESS_SECRET",
    "DELETE_EGRESS_TARGET",
    "STOP_EGRESS_TARGET",
    "NOTE_EGRESS_OWNERS_TOLD",
    "NOTE_EGRESS_FAILING",
    "NOTE_EGRESS_RECOVERED",
    "GIVE_UP_EGRESS_BATCH",
    "REPLAY_EGRESS",
    "DROP_DEAD_LETTERS",
    "CLOSE_EGRESS",
  ],
  events: egressEvents,
  secrets: ["targets"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "CLOSE_EGRESS") return state === undefined ? [] : [{ type: "EgressClosed", id }];
    if (world.get("site", id) === undefined) return reject("not-found", `there is no site ${id}`, "siteId");
    const held = named(state?.targets ?? {}, command.targetId);
    if (command.type === "CREATE_EGRESS_TARGET") return create(command, held, state);
    if (held === undefined)
      return reject("not-found", `there is no egress target ${command.targetId}`, "targetId");
    const targetId = held.id;
    if (command.type === "UPDATE_EGRESS_TARGET") return update(command, held);
    if (command.type === "ROTATE_EGRESS_SECRET")
      return [{ type: "EgressSecretRotated", id, targetId, secret: command.secret }];
    if (command.type === "DELETE_EGRESS_TARGET") return [{ type: "EgressTargetDeleted", id, targetId }];
    return decideDelivery(command, held);
  },

  evolve(state, event, timestamp) {
    const { id } = event;
    if (event.type === "EgressClosed") return undefined;
    const targets = state?.targets ?? {};
    const key = keyOf(event.targetId);
    const target = targetAfter(named(targets, key), event, timestamp);
    const { [key]: _, ...others } = targets;
    if (target !== undefined) return { id, targets: { ...others, [key]: target }, timestamp };
    return Object.keys(others).length === 0 ? undefined : { id, targets: others, timestamp };
  },
};

type Of<Name extends EgressCommand["type"]> = Extract<EgressCommand, { type: Name }>;

function create(
  { id, targetId, settings, isEnabled, secret }: Of<"CREATE_EGRESS_TARGET">,
  held: EgressTarget | undefined,
  state: Egress | undefined,
): Decision<EgressEvent> {
  if (held !== undefined)
    return reject("taken", `there is an egress target ${targetId} already`, "target.id");
  if (Object.keys(state?.targets ?? {}).length >= limits.egressTargets)
    return reject("limit", `at most ${limits.egressTargets} egress targets`);
  const headers = headersAfter(settings.headers, {});
  if (headers === undefined) return nothingToKeep;
  return [
    { type: "EgressTargetCreated", id, targetId, settings: { ...settings, headers }, isEnabled, secret },
  ];
}

function update(
  { id, settings, isEnabled }: Of<"UPDATE_EGRESS_TARGET">,
  held: EgressTarget,
): Decision<EgressEvent> {
  // Nobody may read values that somebody else has set, by having them sent elsewhere.
  const isSameReceiver = settings.url === held.settings.url;
  const headers = headersAfter(settings.headers, isSameReceiver ? held.settings.headers : {});
  if (headers === undefined) return isSameReceiver ? nothingToKeep : nothingElsewhere;
  const said = { ...settings, headers };
  // Whoever enables a target that the cloud has disabled lets it go on.
  const isSame =
    isEnabled === held.isEnabled && JSON.stringify(inOrder(said)) === JSON.stringify(inOrder(held.settings));
  return isSame ? [] : [{ type: "EgressTargetUpdated", id, targetId: held.id, settings: said, isEnabled }];
}

const nothingToKeep = reject(
  "invalid",
  `${hiddenHeader} keeps the value of a header that is there`,
  "target.headers",
);

const nothingElsewhere = reject(
  "invalid",
  `${hiddenHeader} keeps a value for the same url alone: say the value again for another`,
  "target.headers",
);

/** Returns headers with their values, also those that stay; undefined when one has none. */
function headersAfter(
  said: EgressSettings["headers"],
  held: EgressSettings["headers"],
): Record<string, string> | undefined {
  const values = new Map(Object.entries(held).map(([name, value]) => [name.toLowerCase(), value]));
  const after: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries(said)) {
    const kept = value === hiddenHeader ? values.get(name.toLowerCase()) : value;
    if (kept === undefined) return undefined;
    after.push([name, kept]);
  }
  return Object.fromEntries(after);
}

/** Returns settings in one order of fields, to compare them. */
function inOrder({ url, method, headers, ...rest }: EgressSettings): readonly unknown[] {
  const { requestTimeoutSeconds, fetchMaxEvents, fetchWaitMaxMs } = rest;
  return [url, method, Object.entries(headers), requestTimeoutSeconds, fetchMaxEvents, fetchWaitMaxMs];
}
