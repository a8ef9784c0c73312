import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Kernel } from "@ledge/kernel";
import { openKernel, systemClock } from "@ledge/kernel";
import { memoryLog } from "@ledge/log";
import type { AdapterFailure, Alarm, AlarmKind } from "@ledge/model";
import { aggregates, alarmId, categories, EpochOpened, limits, roles } from "@ledge/model";
import { startAdapterProcess } from "@ledge/port";
import { PollClient, until } from "@ledge/testkit";
import type { SupervisionPolicy } from "../adapters/supervision.ts";
import type { SupervisedAdapter } from "../adapters/supervisor.ts";
import { superviseAdapter } from "../adapters/supervisor.ts";
import { createLogger } from "@ledge/host/logger";
import { sourceFlags } from "@ledge/testkit/programs";
import { Notes } from "../notes/notes.ts";
import { reactions } from "../reactions/index.ts";
import { CommandChains } from "./command-chains.ts";
import { Natives } from "./natives.ts";
import { Protocol } from "./protocol.ts";
import { SeenNotes } from "./seen-notes.ts";

const memoryMb = 64;
const viewer = { role: roles.OWNER_ADMIN, user: "owner", since: 0 };
const ofSource = { ...process.env, NODE_OPTIONS: sourceFlags.join(" ") };
const troubled = new URL("../adapters/testdata/troubled-adapter.ts", import.meta.url);

/** A kernel and one adapter in a process that fails on request, while a client polls without pause. */
class Chamber {
  readonly kernel: Kernel;
  readonly client: PollClient = new PollClient();
  /** The number of answered polls. */
  polls = 0;
  #adapter: SupervisedAdapter | undefined;
  readonly #notes: Notes;
  readonly #seen: SeenNotes;
  readonly #protocol: Protocol;
  readonly #polling: Promise<void>;
  #closed = false;

  /** @param policy when the adapter is given up on. */
  constructor(policy: Partial<SupervisionPolicy>) {
    this.kernel = openKernel({
      log: memoryLog(),
      aggregates,
      categories,
      reactions,
      epochEvent: EpochOpened.type,
      clock: systemClock,
      newId: randomUUID,
      timeTrusted: () => true,
      onFatal: (error) => assert.fail(error),
      pause: () => setImmediate(),
      release: "test",
    });
    const logger = createLogger("silent");
    const { kernel } = this;
    this.#notes = new Notes(kernel, systemClock, logger);
    this.#seen = new SeenNotes(kernel, systemClock);
    const host = {
      kernel,
      folder: "/dev/null/caches",
      logger,
      memoryMb,
      natives: new Natives(kernel),
      seen: this.#seen,
      notes: this.#notes,
      chains: new CommandChains(),
      clock: systemClock,
      random: () => 0,
    };
    const settings = { remotes: ["rc"] };
    this.#protocol = new Protocol("troubled", settings, host, (options) => {
      this.#adapter = superviseAdapter({
        ...options,
        // A healthy adapter on a busy machine answers late.
        policy: { pingMs: 250, backoffMinMs: 100, ...policy },
        fork: () => startAdapterProcess(troubled, [], { heapMb: memoryMb, env: ofSource }),
      });
      return this.#adapter;
    });
    this.#polling = this.#poll();
  }

  alarm(kind: AlarmKind): Alarm | undefined {
    return this.kernel.get("alarm", alarmId(kind, "troubled"));
  }

  async running(): Promise<void> {
    await until("the adapter", () => this.#protocol.status.state === "running");
    await until("its remote control", () => this.kernel.size("device") === 1);
  }

  async order(attributes: Record<string, unknown>): Promise<void> {
    await this.#adapter?.send("rc", { type: "set", attributes }, 30_000);
  }

  /** The values that were reported of an attribute, in the order of the log. */
  reported(name: string): unknown[] {
    const events = [...this.kernel.log.read()].flatMap((commit) => commit.events);
    return events.flatMap((event) => {
      if (event.type !== "DeviceReported") return [];
      return (event as unknown as { attributes: Record<string, unknown> }).attributes[name] ?? [];
    });
  }

  /** The client's picture of the home must match the hub's. */
  async compare(): Promise<void> {
    await this.stop();
    await this.client.poll(this.kernel, viewer);
    const fresh = new PollClient();
    await fresh.poll(this.kernel, viewer);
    assert.deepEqual(this.client.known, fresh.known);
  }

  /** Ends the adapter and the polling. */
  async stop(): Promise<void> {
    await this.#protocol.stop();
    this.#closed = true;
    await this.#polling;
  }

  async close(): Promise<void> {
    await this.stop();
    this.#seen.stop();
    this.#notes.stop();
    await this.kernel.close();
  }

  async #poll(): Promise<void> {
    while (!this.#closed) {
      await this.client.poll(this.kernel, viewer);
      this.polls += 1;
      // Short, so that many polls fall into a flood however soon that is over.
      await sleep(2);
    }
  }
}

async function inChamber(
  run: (chamber: Chamber) => Promise<void>,
  policy: Partial<SupervisionPolicy> = {},
): Promise<void> {
  const chamber = new Chamber(policy);
  try {
    await chamber.running();
    await run(chamber);
    await chamber.compare();
  } finally {
    await chamber.close();
  }
}

describe("after each trouble of an adapter, polls are answered and an alarm names the failure", () => {
  const hanging = { silenceMs: 6000 };
  const troubles: readonly [trouble: string, failure: AdapterFailure, policy?: Partial<SupervisionPolicy>][] =
    [
      ["throw", "exception"],
      ["exit", "exit"],
      ["loop", "hang", hanging],
      ["stop", "hang", hanging],
      ["kill", "signal"],
      ["segv", "signal"],
      ["leak", "memory"],
      ["hoard", "memory"],
      ["noise", "garbage"],
      ["impostor", "garbage"],
      ["overrun", "garbage"],
    ];
  for (const [trouble, failure, policy] of troubles) {
    test(trouble, () =>
      inChamber(async (chamber) => {
        const { polls } = chamber;
        chamber.order({ trouble }).catch(() => {});
        await until("the alarm", () => chamber.alarm("ADAPTER_FAILED")?.closed === false);
        assert.equal(chamber.alarm("ADAPTER_FAILED")?.facts["failure"], failure);
        await until("its end", () => chamber.alarm("ADAPTER_FAILED")?.closed === true);
        assert.ok(chamber.polls - polls >= 10, `${chamber.polls - polls} polls were answered meanwhile`);
        await chamber.order({ flood: 8 });
        await until("a report", () => chamber.reported("button").length === 2);
      }, policy),
    );
  }

  test("an adapter that keeps failing rests and raises an alarm of its own", () =>
    inChamber(async (chamber) => {
      for (let failure = 1; failure <= limits.adapterFailures; failure += 1) {
        await chamber.running();
        chamber.order({ trouble: "exit" }).catch(() => {});
        await until(`alarm ${failure}`, () => {
          const { count = 0 } = chamber.alarm("ADAPTER_FAILED") ?? {};
          return count + Number(chamber.alarm("ADAPTER_RESTING") !== undefined) === failure;
        });
      }
      assert.equal(chamber.alarm("ADAPTER_RESTING")?.closed, false);
      assert.equal(chamber.alarm("ADAPTER_FAILED")?.closed, true);
    }));
});

test("a flood of ten thousand reports merges levels and keeps all pulses while polls are answered", () =>
  inChamber(async (chamber) => {
    const { polls } = chamber;
    await chamber.order({ flood: 10_000 });
    await until("every pulse", () => chamber.reported("button").length === 2500);
    const pulses = Array.from({ length: 2500 }, (_, index) => index * 4);
    assert.deepEqual(chamber.reported("button"), pulses);
    await until("the newest level", () => chamber.reported("lux").at(-1) === 9999);
    assert.ok(chamber.reported("lux").length < 7500, "no level was merged with a newer one");
    assert.ok(chamber.polls - polls >= 10, `${chamber.polls - polls} polls`);
    assert.equal(chamber.alarm("REPORTS_LOST"), undefined);
  }));

test("raises an alarm with the count of pulses that were lost beyond the bound", () =>
  inChamber(async (chamber) => {
    await chamber.order({ flood: limits.pulseQueue * 4 + 400 });
    await until("the alarm", () => chamber.alarm("REPORTS_LOST") !== undefined);
    await until("the rest", () => chamber.reported("button").length === limits.pulseQueue);
    assert.equal(chamber.alarm("REPORTS_LOST")?.count, 100);
    assert.equal(chamber.alarm("REPORTS_LOST")?.closed, false);
  }));
