import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { limits } from "@ledge/model";
import { secret, TestEgress } from "./test-egress.ts";
import { answering, TestReceiver } from "./test-receiver.ts";

let world: TestEgress;
let receiver: TestReceiver;
beforeEach(async () => {
  world = await TestEgress.open();
  receiver = await TestReceiver.start();
  receiver.secrets.push(secret);
});
afterEach(async () => {
  await world.remove();
  await receiver.stop();
});

const paths = (): string[] => receiver.events.map(({ path }) => path);
const batches = (): number[] => receiver.received.map(({ body }) => body.events.length);
const arrived = (count: number, stepMs?: number): Promise<void> =>
  world.until(`${count} events`, () => receiver.events.length >= count, stepMs);

describe("a target", () => {
  test("gets each event of its site once it exists, in order, signed, with its own headers", async () => {
    await world.entities(1);
    await world.target("main", receiver.url, {
      method: "PUT",
      headers: { "X-Key": "k", "User-Agent": "own" },
    });
    const made = await world.entities(25);
    await arrived(25);
    assert.deepEqual(paths(), made);
    for (const { method, headers, body, isSigned } of receiver.received) {
      assert.ok(isSigned);
      assert.deepEqual([method, headers["x-key"], headers["user-agent"]], ["PUT", "k", "own"]);
      assert.deepEqual([body.siteId, body.targetId], [world.siteId, "main"]);
      assert.equal(body.batchId, headers["webhook-id"]);
    }
    assert.ok(batches().every((count) => count <= 10));
    const refs = receiver.events.map(({ ref }) => ref);
    assert.equal(new Set(refs).size, 25);
  });

  test("gets what people change in the site as they said it", async () => {
    await world.target("main", receiver.url);
    const { siteId: id } = world;
    const attributes = [{ $type: "Int", name: "level", value: 1 }];
    const about = { entityType: "room", displayName: "Hall", attributes, device: null };
    await world.submit({ type: "CREATE_SITE_ENTITY", id, parent: "", name: "hall", ...about });
    await world.submit({
      type: "CREATE_SITE_ENTITY",
      id,
      parent: "",
      name: "ground",
      ...about,
      attributes: [],
    });
    await world.submit({ type: "UPDATE_SITE_ENTITY", id, path: "hall", displayName: "Big hall" });
    await world.submit({ type: "UPDATE_SITE_ENTITY", id, path: "hall", parent: "ground" });
    await world.submit({ type: "DELETE_SITE_ENTITY", id, path: "ground/hall" });
    await world.submit({ type: "UPDATE_SITE", id, displayName: "House" });
    const properties = { siteType: "office", timeZone: "UTC", features: [] };
    await world.submit({ type: "SET_SITE_PROPERTIES", id, properties });
    await arrived(7);
    const entity = { name: "hall", displayName: "Big hall", attributes, device: null };
    assert.deepEqual(
      receiver.events.map(({ ref, timestamp, ...rest }) => {
        assert.equal(ref, `${timestamp}-0`);
        return rest;
      }),
      [
        { type: "EntityCreated", path: "hall", entity: { ...entity, type: "room", displayName: "Hall" } },
        {
          type: "EntityCreated",
          path: "ground",
          entity: { type: "room", name: "ground", displayName: "Hall", attributes: null, device: null },
        },
        { type: "EntityUpdated", path: "hall", entity },
        { type: "EntityMoved", path: "ground/hall", movedFrom: "hall" },
        { type: "EntityDeleted", path: "ground/hall" },
        { type: "SiteUpdated", path: "", site: { displayName: "House", attributes: null } },
        { type: "SitePropertiesSet", path: "", site: { properties } },
      ],
    );
  });

  test("waits for more events as long as it says, and no longer when it has enough", async () => {
    await world.target("main", receiver.url, { fetchMaxEvents: 5, fetchWaitMaxMs: 60_000 });
    await world.entities(4);
    await world.test.clock.pass(59_000);
    assert.deepEqual(batches(), []);
    await world.entities(1);
    await arrived(5, 0);
    await world.entities(3);
    await arrived(8, 1000);
    assert.deepEqual(batches(), [5, 3]);
  });

  test("gets no events of the time in which a person had disabled it", async () => {
    await world.target("main", receiver.url);
    await world.entities(2);
    await arrived(2);
    await world.enable("main", false);
    await world.entities(3);
    await world.test.clock.pass(1000);
    await world.enable("main", true);
    const [last] = await world.entities(1);
    await arrived(3);
    assert.deepEqual(paths(), ["e1", "e2", last]);
  });

  test("is signed with the former secret as well for a day after a rotation", async () => {
    await world.target("main", receiver.url);
    const next = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    const { siteId: id } = world;
    await world.submit({ type: "ROTATE_EGRESS_SECRET", id, targetId: "main", secret: next });
    await world.entities(1);
    await arrived(1);
    receiver.secrets.splice(0, 1, next);
    await world.entities(1);
    await arrived(2);
    receiver.secrets.splice(0, 1, secret);
    await world.test.goForward(limits.egressSecretOverlapMs);
    await world.entities(1);
    await arrived(3);
    assert.deepEqual(
      receiver.received.map(({ isSigned }) => isSigned),
      [true, true, false],
    );
  });

  test("that is deleted gets nothing more, and nothing of before under its id again", async () => {
    await world.target("main", receiver.url);
    await world.entities(1);
    await arrived(1);
    await world.submit({ type: "DELETE_EGRESS_TARGET", id: world.siteId, targetId: "main" });
    await world.entities(2);
    await world.test.clock.pass(1000);
    await world.target("main", receiver.url);
    await world.entities(1);
    await arrived(2);
    assert.deepEqual(paths(), ["e1", "e4"]);
  });
});

describe("a receiver", () => {
  test("that is down for hours gets everything in order once it is back, and others wait for nothing", async () => {
    const other = await TestReceiver.start();
    await receiver.stop();
    await world.target("main", receiver.url, { fetchMaxEvents: 100 });
    await world.target("other", other.url);
    const made: string[] = [];
    for (let hours = 0; hours < 6; hours++) {
      made.push(...(await world.entities(20)));
      await world.until("the other receiver's events", () => other.events.length === made.length);
      await world.test.clock.pass(3_600_000);
    }
    assert.equal(world.targetOf("main").stop, null);
    await receiver.listen();
    await arrived(made.length, 60_000);
    assert.deepEqual(paths(), made);
    await world.until("the recovery", () => world.targetOf("main").failingSince === null);
    await other.stop();
  });

  for (const status of [408, 425, 429, 500, 503]) {
    test(`that answers ${status} gets the same batch again until it takes it`, async () => {
      let left = 4;
      receiver.answer = (received, response) => answering(left-- > 0 ? status : 200)(received, response);
      await world.target("main", receiver.url);
      const made = await world.entities(3);
      await arrived(3, 1000);
      assert.deepEqual(paths(), made);
      const ids = new Set(receiver.received.map(({ body }) => body.batchId));
      assert.deepEqual([ids.size, receiver.received.length], [1, 5]);
    });
  }

  test("is left alone as long as it asks for, up to an hour", async () => {
    let answer = answering(429, { "retry-after": "1800" });
    receiver.answer = (received, response) => answer(received, response);
    await world.target("main", receiver.url);
    await world.entities(1);
    const asked = (count: number, stepMs: number): Promise<void> =>
      world.until(`${count} requests`, () => receiver.received.length >= count, stepMs);
    await asked(1, 10);
    await world.test.clock.pass(1_790_000);
    assert.equal(receiver.received.length, 1);
    answer = answering(503, { "retry-after": "999999" });
    await asked(2, 10_000);
    await world.test.clock.pass(3_590_000);
    assert.equal(receiver.received.length, 2);
    answer = answering(200);
    await arrived(1, 10_000);
  });

  for (const status of [301, 307, 400, 404, 422]) {
    test(`that answers ${status} three times has a dead letter, and gets what follows`, async () => {
      receiver.answer = (received, response) => {
        const isBad = received.body.events.some(({ path }) => path === "e1");
        answering(isBad ? status : 200, { location: receiver.url })(received, response);
      };
      await world.target("main", receiver.url, { fetchMaxEvents: 2 });
      await world.entities(5);
      await arrived(3, 1000);
      assert.deepEqual(paths(), ["e3", "e4", "e5"]);
      const refused = receiver.received.filter(({ body }) => body.events[0]?.path === "e1");
      assert.equal(refused.length, limits.egressRefusals);
      const [letter, ...more] = world.targetOf("main").deadLetters;
      assert.deepEqual(more, []);
      assert.deepEqual(
        [letter?.batchId, letter?.events, letter?.isReplayed],
        [refused[0]?.body.batchId, 2, false],
      );
      assert.match(letter?.reason ?? "", new RegExp(`^answered ${status}`));
      assert.equal(world.egress.figures.deadLetters, 1);
    });
  }

  test("gets a dead letter again when the operator wants it, under the same id", async () => {
    let status = 400;
    receiver.answer = (received, response) => answering(status)(received, response);
    await world.target("main", receiver.url);
    await world.entities(2);
    const letters = (): number => world.targetOf("main").deadLetters.length;
    await world.until("the dead letter", () => letters() === 1, 1000);
    const [letter] = world.targetOf("main").deadLetters;
    const replay = { type: "REPLAY_EGRESS", id: world.siteId, targetId: "main" };
    await world.submit(replay);
    await world.until(
      "the refusal",
      () => receiver.received.length > 3 && !world.targetOf("main").deadLetters[0]?.isReplayed,
    );
    assert.equal(letters(), 1);
    status = 200;
    await world.submit({ ...replay, batchId: letter?.batchId });
    await arrived(2);
    await world.until("the end of the dead letter", () => letters() === 0);
    assert.deepEqual(paths(), ["e1", "e2"]);
    assert.deepEqual([...new Set(receiver.received.map(({ body }) => body.batchId))], [letter?.batchId]);
  });

  test("that answers 410 is sent nothing more, its owner is told, and it goes on where it was when it is enabled", async () => {
    receiver.answer = answering(410);
    await world.target("main", receiver.url);
    const made = await world.entities(2);
    await world.until("the stop", () => world.targetOf("main").stop?.isTold === true, 10_000);
    assert.deepEqual([receiver.received.length, world.targetOf("main").isEnabled], [1, false]);
    const [mail, ...more] = world.mails;
    assert.deepEqual([mail?.to, more.length], ["ada@example.org", 0]);
    assert.match(mail?.text ?? "", /egress target main of the site villa.*\(410\)/);
    made.push(...(await world.entities(2)));
    receiver.answer = answering(200);
    await world.enable("main", true);
    await arrived(4);
    assert.deepEqual(paths(), made);
  });

  test("that takes nothing for a day is sent nothing more, also over a restart, and a mail is tried until it goes", async () => {
    world.isMailDown = true;
    receiver.answer = answering(500);
    await world.target("main", receiver.url);
    const made = await world.entities(1);
    await world.until("the failure", () => world.targetOf("main").failingSince !== null, 10_000);
    await world.restart();
    await world.test.goForward(limits.egressVainMs - 3_600_000);
    await world.test.clock.pass(600_000);
    assert.equal(world.targetOf("main").stop, null);
    await world.until("the stop", () => world.targetOf("main").stop?.reason === "failing", 600_000);
    await world.test.clock.pass(limits.egressSweepMs);
    assert.deepEqual([world.mails.length, world.targetOf("main").stop?.isTold], [0, false]);
    world.isMailDown = false;
    await world.until("the mail", () => world.targetOf("main").stop?.isTold === true, 10_000);
    assert.match(world.mails[0]?.text ?? "", /accepted nothing for 24 hours/);
    receiver.answer = answering(200);
    await world.enable("main", true);
    await arrived(1);
    assert.deepEqual(paths(), made);
  });

  test("gets a batch again as it was when the cloud restarts before the answer, whatever came meanwhile", async (t) => {
    receiver.answer = () => {};
    await world.target("main", receiver.url);
    const other = await TestReceiver.start();
    t.after(() => other.stop());
    await world.target("other", other.url);
    const made = await world.entities(1);
    await world.until("the request", () => receiver.received.length === 1 && other.events.length === 1);
    made.push(...(await world.entities(1)));
    await world.until("the next event", () => other.events.length === 2);
    receiver.answer = answering(200);
    await world.restart();
    await arrived(2);
    assert.deepEqual(paths(), made);
    assert.deepEqual(batches(), [1, 1, 1]);
    const [first, again] = receiver.received;
    assert.equal(again?.body.batchId, first?.body.batchId);
  });

  test("that hangs is given up after its time, and no other target waits for it", async () => {
    receiver.answer = () => {};
    // Not a whole number of milliseconds.
    await world.target("main", receiver.url, { requestTimeoutSeconds: 1.0005 });
    const other = await TestReceiver.start();
    await world.target("other", other.url);
    await world.entities(1);
    await world.until("the other receiver's event", () => other.events.length === 1);
    await world.until("another try", () => receiver.received.length >= 2, 1000);
    receiver.answer = answering(200);
    await arrived(1, 1000);
    await other.stop();
  });

  test("whose network the operator does not allow is not called, whatever its name leads to", async () => {
    await world.stop();
    world.start([]);
    await world.target("main", receiver.url);
    await world.target("named", receiver.url.replace("127.0.0.1", "localhost").replace("http", "https"));
    const [made] = await world.entities(1);
    await world.until("tries", () => world.egress.figures.requests.later >= 6, 1000);
    assert.deepEqual(receiver.received, []);
    await world.stop();
    world.start();
    await arrived(1, 1000);
    assert.deepEqual(paths(), [made]);
  });

  test("that answers without an end is read up to a limit", async () => {
    let written = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, "x");
      const write = (): void => {
        while (!response.destroyed && written < 1e9 && response.write(chunk)) written += chunk.length;
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    };
    await world.target("main", receiver.url);
    await world.entities(1);
    await world.until("the delivery", () => world.egress.figures.events === 1);
    assert.ok(written < 1e8, `${written} bytes`);
  });
});
