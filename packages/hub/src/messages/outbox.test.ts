import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Language, LoggedEvent, MessageChannel } from "@ledge/model";
import { limits, roles } from "@ledge/model";
import type { TestKernel } from "@ledge/testkit";
import { openTestKernel } from "@ledge/testkit";
import { createLogger } from "@ledge/host/logger";
import { Notes } from "../notes/notes.ts";
import type { Channel, OutgoingMessage } from "./channel.ts";
import { ChannelError } from "./channel.ts";
import type { Channels } from "./channels.ts";
import { Outbox } from "./outbox.ts";

const logger = createLogger("silent");

/** A channel whose answers the test sets. */
class Simulated implements Channel {
  readonly name: MessageChannel;
  readonly reaches: Channel["reaches"];
  readonly taken: OutgoingMessage[] = [];
  tries = 0;
  /** The results of the next tries, after which `fault` decides; null means taken. */
  faults: (ChannelError | null)[] = [];
  fault: (message: OutgoingMessage) => ChannelError | null = () => null;

  constructor(name: MessageChannel, reaches: Channel["reaches"]) {
    this.name = name;
    this.reaches = reaches;
  }

  send(message: OutgoingMessage): Promise<void> {
    this.tries++;
    const fault = this.faults.shift() ?? this.fault(message);
    if (fault !== null) return Promise.reject(fault);
    this.taken.push(message);
    return Promise.resolve();
  }

  /** Texts with the users who received them. */
  get said(): string[] {
    return this.taken.map(({ text, to }) => `${to?.user ?? "-"}: ${text}`);
  }
}

interface Home extends TestKernel {
  readonly email: Simulated;
  readonly journal: Simulated;
  readonly outbox: Outbox;
  readonly events: LoggedEvent[];
}

function around(hub: TestKernel, settings: Partial<Channels> = {}, language: Language = "en"): Home {
  const { kernel, clock } = hub;
  const email = new Simulated("email", ({ user_info }) => user_info.user.email !== "");
  const journal = new Simulated("journal", null);
  const notes = new Notes(kernel, clock, logger);
  const channels = { email, journal, sms: "no sms here", push: "no push here", ...settings };
  const outbox = new Outbox(
    { kernel, clock, notes, logger, random: () => 0, language },
    channels,
    () => email,
  );
  const events: LoggedEvent[] = [];
  kernel.subscribe({ published: (commit) => void events.push(...commit.events) });
  outbox.start();
  return { ...hub, email, journal, outbox, events };
}

async function home(settings?: Partial<Channels>, language?: Language): Promise<Home> {
  const hub = openTestKernel();
  const id = await hub.accept({ type: "CREATE_HUB", name: "Home", timezone: "UTC" });
  await hub.accept({ type: "SET_FEATURES", id, features: [6, 7, 8] });
  for (const [user, role] of [
    ["ann", roles.USER_ADMIN],
    ["bob", roles.IDENTIFIED_USER],
  ] as const) {
    const email = `${user}@example.org`;
    await hub.accept({ type: "ADD_USER", id: user, email, nickname: user, phone: null, role });
  }
  return around(hub, settings, language);
}

const message = (text: string, fields: object = {}) => ({
  type: "SEND_MESSAGE",
  channels: ["email"],
  to: [],
  level: "info",
  text: { id: "MESSAGE", parameters: { text } },
  sourceId: text,
  ...fields,
});
const down = new ChannelError("down", "the server could not be reached");
const later = new ChannelError("later", "the server answered 450");
const refused = new ChannelError("refused", "the server answered 550");
/** The outcomes of messages, in the order of the log. */
const outcomes = ({ events }: Home): unknown[] =>
  events.flatMap(({ type, ...event }) => {
    const { channel, reason } = event as { channel?: string; reason?: string };
    if (type === "MessageSent") return [`${channel} sent`];
    return type === "MessageFailed" ? [`${channel} failed: ${reason}`] : [];
  });

describe("the outbox", () => {
  test("sends a queued message once to each user whom it concerns, and records the outcome", async () => {
    const hub = await home();
    await hub.accept(message("open", { level: "warn", channels: ["email", "journal"] }));
    await hub.clock.pass(1000);
    assert.deepEqual(hub.email.said, ["ann: open", "bob: open"]);
    assert.deepEqual(hub.journal.said, ["-: open"]);
    assert.deepEqual(new Set(outcomes(hub)), new Set(["email sent", "journal sent"]));
    assert.equal(hub.kernel.size("message"), 0);
    const [{ to, hub: from, textId } = assert.fail()] = hub.email.taken;
    assert.deepEqual([to?.email, from, textId], ["ann@example.org", "Home", "MESSAGE"]);
  });

  test("writes in each user's language, and in the hub's language when that is unknown", async () => {
    const hub = await home({}, "sv");
    await hub.accept({ type: "NOTE_USER_LANGUAGE", id: "ann", language: "fi" });
    const text = { id: "COMMAND_FAILED", parameters: { name: "Boiler" } };
    const command = message("boiler", { level: "warn", channels: ["email", "journal"], text });
    await hub.accept(command);
    await hub.clock.pass(1000);
    assert.deepEqual(hub.email.said, [
      "ann: Boiler ei totellut käskyä",
      "bob: Boiler gjorde inte det som begärdes",
    ]);
    assert.deepEqual(hub.journal.said, ["-: Boiler gjorde inte det som begärdes"]);
    // A language that a client asks for does not replace one that the user set. The language at the time of
    // sending counts.
    hub.email.faults = [down];
    await hub.accept(command);
    await hub.accept({ type: "NOTE_USER_LANGUAGE", id: "ann", language: "sv" });
    await hub.accept({ type: "CMD_USER_PROFILE", id: "bob", language: "de" });
    await hub.clock.pass(5000);
    assert.deepEqual(hub.email.said.slice(2), [
      "ann: Boiler ei totellut käskyä",
      "bob: Boiler hat einen Befehl nicht ausgeführt",
    ]);
  });

  test("retries with growing pauses while a channel is down, and continues where it was", async () => {
    const hub = await home();
    hub.email.faults = [null, down, down, down];
    await hub.accept(message("open", { level: "warn" }));
    await hub.accept(message("shut"));
    await hub.clock.pass(500);
    assert.deepEqual([hub.email.said, hub.email.tries], [["ann: open"], 2]);
    await hub.clock.pass(limits.messageBackoffMinMs);
    assert.equal(hub.email.tries, 3);
    await hub.clock.pass(limits.messageBackoffMinMs);
    assert.equal(hub.email.tries, 3);
    await hub.clock.pass(limits.messageBackoffMinMs * 6);
    assert.deepEqual(hub.email.said.toSorted(), ["ann: open", "ann: shut", "bob: open"]);
    assert.deepEqual(outcomes(hub), ["email sent", "email sent"]);
  });

  test("never pauses longer than the limit, and gives up messages that are too old", async () => {
    const hub = await home();
    hub.email.fault = () => down;
    await hub.accept(message("open"));
    await hub.clock.pass(limits.messageAgeMs - 1000);
    assert.deepEqual(outcomes(hub), []);
    assert.ok(hub.email.tries >= Math.floor(limits.messageAgeMs / limits.messageBackoffMaxMs));
    assert.ok(hub.email.tries <= limits.messageAgeMs / limits.messageBackoffMaxMs + 10);
    await hub.clock.pass(limits.messageBackoffMaxMs + 2000);
    assert.deepEqual(outcomes(hub), ["email failed: too old"]);
  });

  test("gives up a message that alone keeps failing, without delaying the others", async () => {
    const hub = await home();
    hub.email.fault = ({ text }) => (text === "bad" ? later : null);
    await hub.accept(message("bad", { level: "err", to: ["ann"] }));
    await hub.accept(message("good", { to: ["ann"] }));
    await hub.clock.pass(limits.messageBackoffMinMs + 1000);
    assert.deepEqual(hub.email.said, ["ann: good"]);
    await hub.clock.pass(limits.messageAgeMs / 2);
    const failed = `email failed: not taken in ${limits.messageTries} tries: the server answered 450`;
    assert.deepEqual(outcomes(hub), ["email sent", failed]);
    assert.equal(hub.email.tries, limits.messageTries + 1);
  });

  test("does not retry a refused recipient, and counts the refusals", async () => {
    const hub = await home();
    hub.email.fault = ({ to }) => (to?.user === "bob" ? refused : null);
    await hub.accept(message("open", { level: "warn" }));
    await hub.accept(message("shut", { to: ["bob"] }));
    await hub.clock.pass(1000);
    assert.deepEqual(hub.email.said, ["ann: open"]);
    assert.deepEqual(outcomes(hub), [
      "email failed: 1 of 2: the server answered 550",
      "email failed: the server answered 550",
    ]);
  });

  test("sends the most important messages first", async () => {
    const hub = await home();
    hub.email.faults = [down];
    await hub.accept(message("first", { to: ["ann"] }));
    for (const level of ["info", "warn", "err"]) await hub.accept(message(level, { level, to: ["ann"] }));
    await hub.clock.pass(5000);
    assert.deepEqual(hub.email.said, ["ann: err", "ann: warn", "ann: info", "ann: first"]);
  });

  test("fails messages without a channel or a recipient, with the reason", async () => {
    const hub = await home();
    await hub.accept(message("open", { channels: ["sms"] }));
    await hub.accept(message("open", { to: ["nobody"] }));
    await hub.clock.pass(1000);
    assert.deepEqual(outcomes(hub), ["sms failed: no sms here", "email failed: it reaches nobody"]);
  });

  test("records only the name of an unexpected error, and keeps running", async () => {
    const hub = await home();
    hub.email.fault = () => {
      throw new TypeError("ann@example.org");
    };
    await hub.accept(message("open", { to: ["ann"] }));
    await hub.clock.pass(limits.messageAgeMs);
    assert.deepEqual(outcomes(hub), [`email failed: not taken in ${limits.messageTries} tries: TypeError`]);
  });

  test("sends queued messages after a restart, and gives up those that are too old by then", async () => {
    for (const [ms, sent, outcome] of [
      [limits.messageAgeMs - 10_000, ["ann: open"], "email sent"],
      [limits.messageAgeMs + 10_000, [], "email failed: too old"],
    ] as const) {
      const before = await home();
      before.email.fault = () => down;
      await before.accept(message("open"));
      await before.outbox.stop();
      const tries = before.email.tries;
      await before.clock.pass(ms);
      assert.equal(before.email.tries, tries, "nothing is sent once it is stopped");
      const hub = around(before.restart());
      await hub.clock.pass(2000);
      assert.deepEqual(hub.email.said, sent);
      assert.deepEqual(outcomes(hub), [outcome]);
    }
  });

  test("sends to the users whom a message concerns at the time of sending, at their current address", async () => {
    const hub = await home();
    hub.email.faults = [down];
    await hub.accept(message("open", { level: "warn" }));
    await hub.accept({ type: "REVOKE_USER", id: "ann" });
    await hub.clock.pass(5000);
    assert.deepEqual(hub.email.said, ["bob: open"]);
  });

  test("stores no address in an event", async () => {
    const hub = await home();
    hub.email.faults = [null, refused];
    await hub.accept(message("open", { level: "warn" }));
    await hub.clock.pass(1000);
    assert.equal(hub.events.length > 2, true);
    assert.doesNotMatch(JSON.stringify(hub.events), /example\.org/);
  });
});
