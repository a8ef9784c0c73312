import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { given, openTestKernel, testNow } from "@ledge/testkit";
import { roles } from "./access.ts";
import { features } from "./feature.ts";
import { limits } from "./limits.ts";
import type { Message } from "./message.ts";
import { byImportance, messageChannels, recipientsOf } from "./message.ts";
import type { States } from "./states.ts";

const { PN_MESSAGING, SEND_EMAIL, SMS_MESSAGING } = features;
const hub = { type: "HubCreated", id: "h", name: "Hub", timezone: "UTC" };
const withFeatures = (...codes: number[]) => [hub, { type: "FeaturesSet", id: "h", features: codes }];
const home = withFeatures(PN_MESSAGING, SMS_MESSAGING, SEND_EMAIL);
const text = { id: "MESSAGE", parameters: { text: "The door is open", minutes: 5 } };
const said = { channels: ["push", "journal"], to: [], level: "warn", text, sourceId: "rule-1" };
const send = (fields: object = {}) => ({ type: "SEND_MESSAGE", ...said, ...fields });
const queued = (fields: object = {}, id = "new-1") => {
  return { type: "MessageQueued", id, left: [], ...said, ...fields };
};
const spent = (tokens = 1, fields: object = {}) => {
  const fullAt = testNow + tokens * limits.messageRefillMs;
  return { type: "SenderSpent", id: "rule-1", fullAt, heldBack: 0, ...fields };
};
const timer = (sourceId = "rule-1", ms: number = limits.messageRefillMs) => {
  const due = { due: testNow + ms, durationMs: ms };
  return { type: "TimerSet", id: `sender:${sourceId}`, ...due, late: "fire", lateMaxMs: 0 };
};
const counted = (fields: object = {}) => [spent(1, fields), timer()];

describe("a message", () => {
  test("is queued once for all channels, until each has sent it or given up", () => {
    const after = given(home)
      .when(send())
      .then([queued(), ...counted()]);
    const { id: _, queuedAt, ...kept } = after.state("message", "new-1") ?? assert.fail();
    assert.deepEqual([kept, queuedAt], [said, testNow]);
    const sent = { type: "MessageSent", id: "new-1", channel: "push" };
    const half = given([...home, queued()])
      .when({ ...sent, type: "NOTE_MESSAGE_SENT" })
      .then([sent]);
    assert.deepEqual(half.state("message", "new-1")?.channels, ["journal"]);
    const failed = { id: "new-1", channel: "journal", reason: "x".repeat(limits.alarmFactChars) };
    const whole = given([...home, queued(), sent])
      .when({ type: "NOTE_MESSAGE_FAILED", ...failed, reason: `${failed.reason}y` })
      .then([{ type: "MessageFailed", ...failed }]);
    assert.equal(whole.state("message", "new-1"), undefined);
  });

  test("changes nothing when it is noted twice, or unknown", () => {
    const note = { type: "NOTE_MESSAGE_SENT", id: "new-1", channel: "push" };
    const sent = { type: "MessageSent", id: "new-1", channel: "push" };
    given([...home, queued(), sent])
      .when(note)
      .then([]);
    given(home).when(note).then([]);
  });

  test("skips channels whose feature is off, and says so; the journal needs no feature", () => {
    const every = { channels: [...messageChannels] };
    for (const [on, channels] of [
      [[], ["journal"]],
      [[PN_MESSAGING], ["push", "journal"]],
      [[SMS_MESSAGING], ["sms", "journal"]],
      [[SEND_EMAIL], ["email", "journal"]],
    ] as const) {
      const left = messageChannels.filter((channel) => !channels.some((other) => other === channel));
      given(withFeatures(...on))
        .when(send(every))
        .then([queued({ channels, left }), ...counted()]);
    }
    const none = given([hub])
      .when(send({ channels: ["sms"] }))
      .then([queued({ channels: [], left: ["sms"] }), ...counted()]);
    assert.equal(none.state("message", "new-1"), undefined, "nothing waits");
  });

  test("has its long texts cut", () => {
    const most = "x".repeat(limits.alarmFactChars);
    const long = (part: string) => ({ text: { id: "MESSAGE", parameters: { text: part } } });
    given(home)
      .when(send(long(`${most}y`)))
      .then([queued(long(most)), ...counted()]);
  });

  const parameters = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, n]));
  const wrong: readonly [what: string, fields: object, field: string][] = [
    ["no channel", { channels: [] }, "channels"],
    ["an unknown channel", { channels: ["push", "fax"] }, "channels.1"],
    ["a repeated channel", { channels: ["push", "push"] }, "channels"],
    ["no level", { level: "debug" }, "level"],
    ["no user's id", { to: [""] }, "to.0"],
    ["too many users", { to: Array<string>(limits.users + 1).fill("u") }, "to"],
    ["an unknown text", { text: { id: "NOPE", parameters: {} } }, "text.id"],
    ["a list in its text", { text: { id: "MESSAGE", parameters: { text: ["x"] } } }, "text.parameters.text"],
    [
      "too many parameters",
      { text: { id: "MESSAGE", parameters: parameters(limits.messageParameters + 1) } },
      "text.parameters",
    ],
    ["no source", { sourceId: "" }, "sourceId"],
  ];
  for (const [what, fields, field] of wrong) {
    test(`with ${what} is refused and does not count for its source`, () => {
      given(home).when(send(fields)).then({ rejected: "invalid", field });
    });
  }

  test("accepts the most parameters and users", () => {
    const most = {
      to: Array.from({ length: limits.users }, (_, n) => `u${n}`),
      text: { id: "MESSAGE", parameters: parameters(limits.messageParameters) },
    };
    given(home)
      .when(send(most))
      .then([queued(most), ...counted()]);
  });
});

describe("a full queue", () => {
  const waiting = (levels: readonly string[]) =>
    levels.map((level, n) => queued({ level, sourceId: `s${n}` }, `m${String(n).padStart(3, "0")}`));
  const full = (least: readonly string[]): readonly string[] => [
    ...Array<string>(limits.messagesQueued - least.length).fill("err"),
    ...least,
  ];
  const dropped = (place: number) => {
    return { type: "MessageDropped", id: `m${String(place).padStart(3, "0")}`, sourceId: `s${place}` };
  };

  test("has room below the limit", () => {
    given([...home, ...waiting(full(["info"]).slice(1))])
      .when(send())
      .then([queued(), ...counted()]);
  });

  test("drops the oldest message of the lowest level", () => {
    const at = limits.messagesQueued;
    given([...home, ...waiting(full(["info", "warn", "info"]))])
      .when(send())
      .then([queued(), dropped(at - 3), ...counted()]);
    given([...home, ...waiting(full(["warn", "warn"]))])
      .when(send())
      .then([queued(), dropped(at - 2), ...counted()]);
    given([...home, ...waiting(full([]))])
      .when(send({ level: "err" }))
      .then([queued({ level: "err" }), dropped(0)]);
  });

  test("drops a new message when all others matter more", () => {
    const after = given([...home, ...waiting(full([]))])
      .when(send())
      .then([queued(), { type: "MessageDropped", id: "new-1", sourceId: "rule-1" }, ...counted()]);
    assert.equal(after.state("message", "new-1"), undefined);
  });

  test("drops nothing for a message without channels", () => {
    given([...withFeatures(), ...waiting(full([]))])
      .when(send({ channels: ["sms"] }))
      .then([queued({ channels: [], left: ["sms"] }), ...counted()]);
  });
});

describe("a source", () => {
  const burst = limits.messageBurst;

  test("is held back and counted after its burst; other sources are not", () => {
    const before = [...home, spent(burst - 1), timer()];
    given(before)
      .when(send())
      .then([queued(), spent(burst)]);
    const exhausted = [...home, spent(burst), timer()];
    const danger = { level: "err" };
    given(exhausted)
      .when(send(danger))
      .then([queued(danger)]);
    given(exhausted)
      .when(send())
      .then([spent(burst, { heldBack: 1 })]);
    given([...home, spent(burst, { heldBack: 1 }), timer()])
      .when(send())
      .then([spent(burst, { heldBack: 2 })]);
    given(exhausted)
      .when(send({ sourceId: "rule-2" }))
      .then([queued({ sourceId: "rule-2" }), { ...spent(), id: "rule-2" }, timer("rule-2")]);
  });

  test("gains one message at a time", () => {
    const exhausted = [...home, spent(burst), timer()];
    const gained = testNow + limits.messageRefillMs;
    given(exhausted)
      .when(send(), gained - 1)
      .then([spent(burst, { heldBack: 1 })]);
    given(exhausted)
      .when(send(), gained)
      .then([queued(), spent(burst + 1)]);
  });

  test("sends at most 20 messages in any hour", async () => {
    const { kernel, clock, submit } = openTestKernel();
    const times: number[] = [];
    kernel.subscribe({
      published: ({ timestamp, events }) => {
        if (events.some(({ type }) => type === "MessageQueued")) times.push(timestamp);
      },
    });
    const hourMs = 3_600_000;
    for (let minute = 0; minute < 180; minute++) {
      await submit(send({ channels: ["journal"] }));
      await clock.pass(60_000);
    }
    const inHourFrom = times.map((from) => times.filter((at) => at >= from && at < from + hourMs).length);
    assert.equal(Math.max(...inHourFrom), burst + hourMs / limits.messageRefillMs - 1);
    assert.equal(times.length, burst + (3 * hourMs) / limits.messageRefillMs - 1);
  });

  test("is forgotten when its bucket is full, after one report of what was held back", () => {
    const settle = { type: "SETTLE_SENDER", id: "rule-1" };
    const settled = { ...spent(burst), type: "SenderSettled", heldBack: 3 };
    const exhausted = [...home, spent(burst, { heldBack: 3 })];
    const later = given(exhausted)
      .when(settle)
      .then([settled, timer("rule-1", burst * limits.messageRefillMs)]);
    assert.deepEqual(later.state("sender", "rule-1")?.heldBack, 0);
    given([...home, spent(burst)])
      .when(settle)
      .then([timer("rule-1", burst * limits.messageRefillMs)]);
    const full = given(exhausted)
      .when(settle, testNow + burst * limits.messageRefillMs)
      .then([settled]);
    assert.equal(full.state("sender", "rule-1"), undefined);
    given(home).when(settle).then([]);
  });
});

describe("recipients", () => {
  const user = (id: string, role: number) => {
    return { type: "UserAdded", id, email: `${id}@b`, nickname: id, phone: null, role };
  };
  const users = [
    user("admin", roles.USER_ADMIN),
    user("ann", roles.IDENTIFIED_USER),
    user("guest", roles.GUEST),
    user("gone", roles.USER_ADMIN),
    { type: "UserRevoked", id: "gone" },
  ];
  const camera = {
    type: "DeviceAdded",
    id: "camera",
    name: "Camera",
    class: "LIGHT",
    capabilities: [],
    manufacturer: null,
    model: null,
    extras: {},
  };
  const hidden = { type: "DeviceVisibilitySet", id: "camera", visible: false };

  function named(fields: Partial<Message>): string[] {
    const state = given([...users, camera, hidden]);
    const message: Message = {
      id: "m",
      channels: ["push"],
      to: [],
      level: "info",
      text,
      sourceId: "rule-1",
      queuedAt: 0,
      ...fields,
    };
    const all = ["admin", "ann", "guest", "gone"].map((id) => [id, state.state("user", id)]);
    const read = {
      get: <K extends keyof States>(kind: K, id: string) => state.state(kind, id),
      all: () => new Map(all as [string, never][]).entries(),
    };
    return recipientsOf(message, read).map(({ id }) => id);
  }

  test("are the users that the level concerns, or those named; never revoked ones", () => {
    assert.deepEqual(named({ level: "info" }), ["admin"]);
    assert.deepEqual(named({ level: "warn" }), ["admin", "ann"]);
    assert.deepEqual(named({ level: "err" }), ["admin", "ann", "guest"]);
    assert.deepEqual(named({ to: ["guest", "gone", "nobody"] }), ["guest"]);
  });

  test("are no guests for danger at a hidden device", () => {
    assert.deepEqual(named({ level: "err", sourceId: "camera" }), ["admin", "ann"]);
  });
});

test("byImportance puts higher levels first, then older messages", () => {
  const message = (id: string, level: Message["level"], queuedAt: number) => ({ id, level, queuedAt });
  const sorted = [
    message("a", "info", 1),
    message("d", "err", 3),
    message("c", "err", 3),
    message("b", "err", 2),
    message("e", "warn", 1),
  ].toSorted(byImportance);
  assert.deepEqual(
    sorted.map(({ id }) => id),
    ["b", "c", "d", "e", "a"],
  );
});
