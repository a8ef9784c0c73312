import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "@ledge/testkit";
import { roles } from "./access.ts";
import type { Reader } from "./decider.ts";
import { notifications } from "./notification.ts";
import type { States } from "./states.ts";

const user = (id: string, role: number) => ({
  type: "UserAdded",
  id,
  email: `${id}@b`,
  nickname: id,
  phone: null,
  role,
});
/** A client that left at `at`, or is still polling. */
const client = (owner: string, at: number, session = false) => [
  {
    type: "DeviceAdded",
    id: `app-${owner}`,
    name: "App",
    class: "UI_DEVICE",
    capabilities: [],
    manufacturer: null,
    model: null,
    extras: { uuid: `phone-${owner}` },
  },
  { type: "DeviceReported", id: `app-${owner}`, attributes: { session, user: owner }, at },
];
const alarm = (kind: string, extra: object = {}) => {
  const fields = { kind, sourceId: "s", name: "s", facts: {}, count: 1, ...extra };
  return { type: "AlarmRaised", id: `${kind}-s`, ...fields };
};
const alert = (error: boolean, userId: string | null) => {
  const fields = { msg_id: "SCENE_INCOMPLETE", parameters: {}, sourceId: "x", error, userId };
  return { type: "AlertRaised", id: "alert", ...fields };
};

type Events = Parameters<typeof given>[0];
/**
 * Returns category, level and users of the open notifications; the timestamp of each event is its place, from
 * 1.
 */
function routed(...events: NonNullable<Events>): unknown[] {
  const home = given(events);
  const ids = [...new Set(events.map(({ id }) => id))];
  const read: Pick<Reader, "get" | "all"> = {
    get: (kind, id) => home.state(kind, id),
    all: <K extends keyof States>(kind: K) =>
      ids
        .flatMap((id): [string, States[K]][] => {
          const state = home.state(kind, id);
          return state === undefined ? [] : [[id, state]];
        })
        .values(),
  };
  return notifications({ ...read, size: () => 0 }).map(({ category, level, clients }) => [
    category,
    level,
    clients.map((each) => each.user),
  ]);
}

const everyone = [
  user("owner", roles.OWNER_ADMIN),
  user("admin", roles.USER_ADMIN),
  user("ann", roles.IDENTIFIED_USER),
  user("remote", roles.REMOTE_GUEST),
  user("guest", roles.GUEST),
  ...["owner", "admin", "ann", "remote", "guest"].flatMap((id) => client(id, 1)),
];

for (const [what, event, expected] of [
  ["danger", alarm("DISK_FULL"), ["alarm", "err", ["owner", "admin", "ann", "remote", "guest"]]],
  ["a fault", alarm("DEVICE_UNREACHABLE"), ["alarm", "warn", ["owner", "admin", "ann"]]],
  [
    "danger at a hidden device",
    alarm("DISK_FULL", { hidden: true }),
    ["alarm", "err", ["owner", "admin", "ann"]],
  ],
  ["an alert of an error", alert(true, null), ["alert", "warn", ["owner", "admin", "ann"]]],
  ["another alert", alert(false, null), ["alert", "info", ["owner", "admin"]]],
  ["an alert for one user, whoever that is", alert(false, "guest"), ["alert", "info", ["guest"]]],
] as const) {
  test(`${what} goes to ${expected[2].join(", ")}`, () => {
    assert.deepEqual(routed(...everyone, event), [expected]);
  });
}

test("leaves out clients that have polled since, but not those that left before", () => {
  const ann = user("ann", roles.IDENTIFIED_USER);
  const raised = alarm("DISK_FULL");
  const err = (...users: string[]): unknown[] => [["alarm", "err", users]];
  assert.deepEqual(routed(ann, ...client("ann", 1, true), raised), err());
  assert.deepEqual(routed(ann, ...client("ann", 4), raised), err("ann"));
  assert.deepEqual(routed(ann, ...client("ann", 5), raised), err());
  assert.deepEqual(routed(ann, ...client("ann", 4), raised, raised), err("ann"));
  assert.deepEqual(
    routed(ann, ...client("ann", 5), raised, raised),
    err("ann"),
    "the alarm was raised again",
  );
});

test("leaves out revoked users and closed alarms", () => {
  const ann = user("ann", roles.IDENTIFIED_USER);
  const raised = alarm("DISK_FULL");
  assert.deepEqual(routed(ann, ...client("ann", 1), { type: "UserRevoked", id: "ann" }, raised), [
    ["alarm", "err", []],
  ]);
  assert.deepEqual(routed(ann, ...client("ann", 1), raised, { type: "AlarmClosed", id: raised.id }), []);
});

test("lists the newest first", () => {
  const both = routed(alarm("DISK_FULL"), alarm("CLOCK_JUMP"));
  assert.deepEqual(both, [
    ["alarm", "warn", []],
    ["alarm", "err", []],
  ]);
});
