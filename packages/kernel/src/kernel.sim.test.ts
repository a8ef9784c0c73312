import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryLog } from "@ledge/log";
import { limits, roles } from "@ledge/model";
import type { Move, Random, TestKernel } from "@ledge/testkit";
import {
  commandOf,
  eventProblems,
  Gate,
  homeReactions,
  imageOf,
  moveNames,
  openTestKernel,
  PollClient,
  seededRandom,
} from "@ledge/testkit";
import type { Outcome } from "./submission.ts";
import { KernelError } from "./submission.ts";

/*
 * Simulates a hub over months with random commands, reports, clock jumps, slow, full and broken disks, and
 * crashes. `SEED=<number>` replays one run.
 */

const seeds =
  process.env["SEED"] === undefined
    ? Array.from({ length: 3 }, (_, index) => (Date.now() + index * 7919) % 2 ** 31)
    : [Number(process.env["SEED"])];
const steps = 700;
const day = 86_400_000;
const owner = { role: roles.OWNER_ADMIN, user: null, since: 0 };

class World {
  readonly #random: Random;
  readonly #disk = new Gate();
  readonly #source = { vouched: true };
  readonly #client = new PollClient();
  /** Timestamps of commits whose submission was answered. */
  readonly #acknowledged = new Set<number>();
  #published: number[] = [];
  #home: TestKernel;
  #pending: Promise<void>[] = [];
  restarts = 0;
  jumps = 0;
  answered = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#home = openTestKernel({
      log: memoryLog({ flush: () => this.#disk.pass() }),
      tombstones: 5,
      snapshotCommits: 40,
      reactions: homeReactions,
      timeTrusted: () => this.#source.vouched,
    });
    this.#follow();
  }

  /** Watches a hub that has just started. */
  #follow(): void {
    const { kernel } = this.#home;
    this.#published = [...kernel.log.read()].map(({ timestamp }) => timestamp);
    kernel.subscribe({
      published: ({ timestamp }) => {
        // Ignore commits that a dead process had in flight.
        if (kernel !== this.#home.kernel) return;
        assert.ok(timestamp > (this.#published.at(-1) ?? 0), "timestamps rise");
        this.#published.push(timestamp);
      },
    });
    if (this.#random(2) === 0) kernel.settled();
  }

  async step(): Promise<void> {
    const { clock, kernel, log } = this.#home;
    const dice = this.#random(100);
    if (dice < 62) this.#submit();
    else if (dice < 76) await clock.pass(this.#random(4) === 0 ? this.#random(day) : this.#random(400));
    else if (dice < 81) this.#jump();
    else if (dice < 84) this.#disk.close();
    else if (dice < 92) this.#disk.open();
    else if (dice < 94) kernel.settled();
    else if (dice < 97) await this.#poll();
    else if (dice < 99) await this.#restart();
    else log.failNext((["full", "failed", "no-room"] as const)[this.#random(3)] ?? "full");
    if (this.#random(50) === 0) kernel.suspend("the disk is full");
    if (kernel.health.state === "read-only" && this.#random(3) > 0) kernel.resume();
    if (kernel.health.state !== "serving") await this.#restart();
  }

  #submit(): void {
    const move: Move = {
      name: moveNames[this.#random(moveNames.length)] ?? "report",
      pick: this.#random(50),
      value: this.#random(1000),
    };
    const home = this.#home;
    const command = commandOf(move, home.kernel);
    if (command === undefined) return;
    const submission = { quiet: move.name === "report", origin: "device" } as const;
    this.#pending.push(this.#answered(home, home.submit(command, submission)));
  }

  async #answered(home: TestKernel, answer: Promise<Outcome>): Promise<void> {
    try {
      const outcome = await answer;
      // A dead process no longer answers.
      if (home !== this.#home || !outcome.accepted) return;
      this.answered++;
      assert.ok(outcome.timestamp <= home.kernel.timestamp, "what is answered is visible");
      this.#acknowledged.add(outcome.timestamp);
    } catch (error) {
      assert.ok(error instanceof KernelError, String(error));
    }
  }

  #jump(): void {
    const { clock } = this.#home;
    this.jumps++;
    const by = [this.#random(50_000), -this.#random(50_000), this.#random(day), -this.#random(day)];
    this.#source.vouched = this.#random(3) > 0;
    clock.stepWall(by[this.#random(by.length)] ?? 0);
  }

  async #poll(): Promise<void> {
    const fresh = new PollClient();
    const { kernel } = this.#home;
    // Poll both within one turn: a commit in between would reach only the second.
    await Promise.all([this.#client.poll(kernel, owner), fresh.poll(kernel, owner)]);
    assert.deepEqual(this.#client.known, fresh.known);
  }

  /** Kills the process with everything in flight, and restarts it over what is durable. */
  async #restart(): Promise<void> {
    this.restarts++;
    this.#home = this.#home.restart();
    this.#disk.open();
    await Promise.all(this.#pending);
    this.#pending = [];
    this.#follow();
    const { kernel } = this.#home;
    assert.equal(kernel.health.state, "serving");
    const durable = new Set(this.#published);
    for (const timestamp of this.#acknowledged) {
      if (timestamp > 0) assert.ok(durable.has(timestamp), `${timestamp} was acknowledged and is lost`);
    }
    this.#checkReferences();
    await this.#poll();
  }

  /** Checks that devices and groups name each other, and that devices name only existing rooms. */
  #checkReferences(): void {
    const { kernel } = this.#home;
    for (const [id, { groups, room }] of kernel.all("device")) {
      for (const group of groups) assert.ok(kernel.get("group", group)?.members.includes(id));
      for (const of of room) assert.ok(kernel.get("room", of));
    }
    for (const [id, { members }] of kernel.all("group")) {
      for (const member of members) assert.ok(kernel.get("device", member)?.groups.includes(id));
    }
  }

  /** Lets everything settle, then checks the whole log. */
  async end(): Promise<void> {
    await this.#restart();
    this.#source.vouched = true;
    const home = this.#home;
    home.kernel.settled();
    await home.clock.pass(limits.alertMs + 3 * day);
    assert.equal(home.kernel.size("timer"), 0, "every timer ends");
    const image = imageOf(home);
    const replayed = openTestKernel({ log: home.log.clone(), tombstones: 5, release: "another" });
    assert.deepEqual(imageOf(replayed), image);
    const { damage } = home.log.verify();
    assert.deepEqual(damage, []);
    for (const { events } of home.log.read()) {
      for (const {
        version: _,
        origin: _origin,
        depth: _depth,
        cause: _cause,
        root: _root,
        ...event
      } of events) {
        assert.deepEqual(eventProblems(event), []);
      }
    }
    await home.kernel.close();
    assert.deepEqual(home.fatal, []);
  }
}

for (const seed of seeds) {
  test(`keeps its promises through random crashes, clock jumps and disk faults (SEED=${seed})`, async () => {
    const world = new World(seededRandom(seed));
    for (let step = 0; step < steps; step++) await world.step();
    await world.end();
    assert.ok(world.restarts > 5 && world.jumps > 5 && world.answered > 50, JSON.stringify(world));
  });
}
