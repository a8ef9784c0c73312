// A hub tells its home and a cloud stores it, while both are killed, answers are cut, and cursors lead astray.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { applyChanges, gatewayRow, readChanges } from "@ledge/cloud/replication";
import { type Batch, openLmdbRegisterStore, type RegisterStore } from "@ledge/fleet";
import { Changes } from "@ledge/hub/cloud/changes";
import type { MemoryLog } from "@ledge/log";
import type { Share } from "@ledge/model";
import fc from "fast-check";
import { commandOf, type Move, moveNames } from "./random-home.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { openTestKernel, type TestKernel } from "./test-kernel.ts";

const kinds = ["device", "alarm"] as const;

/** A hub over a log in memory. */
class Home {
  kernel: TestKernel;
  readonly hubId: string;
  #changes: Changes;
  #backup: MemoryLog;

  private constructor(kernel: TestKernel, hubId: string) {
    this.kernel = kernel;
    this.hubId = hubId;
    this.#changes = this.#follow();
    this.#backup = kernel.log.clone();
  }

  static async open(): Promise<Home> {
    const kernel = openTestKernel();
    const home = new Home(
      kernel,
      await kernel.accept({ type: "CREATE_HUB", name: "Cabin", timezone: "UTC" }),
    );
    await home.share("states");
    return home;
  }

  share(share: Share): Promise<string> {
    return this.kernel.accept({ type: "SET_SHARE", id: this.hubId, share });
  }

  async move(move: Move): Promise<void> {
    const command = commandOf(move, this.kernel.kernel);
    if (command !== undefined) await this.kernel.submit(command);
  }

  restart(): void {
    this.kernel = this.kernel.restart();
    this.#changes = this.#follow();
  }

  backUp(): void {
    this.#backup = this.kernel.log.clone();
  }

  /** Begins with the log of the last backup, in a new generation, as `ledge restore` does. */
  async restore(): Promise<void> {
    this.kernel = this.kernel.restart({ log: this.#backup.clone() });
    this.kernel.clock.advance(1000);
    await this.kernel.accept({ type: "OPEN_GENERATION", id: this.hubId, above: 0 });
    await this.share("states");
    this.#changes = this.#follow();
  }

  async answer(cursor: string | null, max: number): Promise<Buffer> {
    let text = "";
    const request = { after: cursor ?? undefined, max, waitMs: 0 };
    for await (const piece of this.#changes.pieces(request, new AbortController().signal)) text += piece;
    return Buffer.from(text);
  }

  /** Returns the devices and alarms as the owner sees them. */
  objects(): Map<string, unknown> {
    const { kernel } = this.kernel;
    const owner = { role: 64, user: null, since: 0 };
    const found = new Map<string, unknown>();
    for (const kind of kinds)
      for (const [id] of kernel.all(kind)) found.set(`${kind} ${id}`, kernel.render(kind, id, owner, "en"));
    return found;
  }

  #follow(): Changes {
    const { kernel, clock } = this.kernel;
    const pause = (): Promise<void> => setImmediate();
    return new Changes({ kernel, hubId: this.hubId, clock, pause, leftOut: (_, id) => assert.fail(id) });
  }
}

/** How a store writes a batch. */
type Apply = (store: RegisterStore, batch: Batch) => ReturnType<RegisterStore["apply"]>;

/** When the cloud is killed while it takes an answer: before one of its writes, or right after it. */
interface Kill {
  readonly write: number;
  readonly isDone: boolean;
}

class Killed extends Error {}

/** A cloud over a store on disk. */
class Cloud {
  readonly #folder = temporaryFolder();
  readonly #hubId: string;
  readonly #apply: Apply;
  #opened: RegisterStore | undefined;
  /** The cursors that it has stored since it had to delete the home. */
  #cursors: string[] = [];

  constructor(hubId: string, apply: Apply) {
    this.#hubId = hubId;
    this.#apply = apply;
  }

  async store(): Promise<RegisterStore> {
    const onDiscarded = (problem: string): void => assert.fail(problem);
    const options = { folder: this.#folder.path, now: () => 0, onDiscarded };
    return (this.#opened ??= await openLmdbRegisterStore(options));
  }

  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    this.#folder.remove();
  }

  async cursor(): Promise<string | null> {
    return (await (await this.store()).cursorOf(this.#hubId))?.cursor ?? null;
  }

  /** Stores another cursor: one that it had, or one that leads nowhere. */
  async lead(astray: number): Promise<void> {
    const store = await this.store();
    const known = await store.cursorOf(this.#hubId);
    if (known === undefined) return;
    const { cursor: after, generation } = known;
    const upto = ["anew", "s.0.9999999999999", "f.0.1.device.a", ...this.#cursors].at(-1 - astray) ?? "anew";
    const batch = { source: this.#hubId, generation, after, upto };
    await store.apply({ ...batch, upserts: [], removals: [], outbox: [] });
  }

  /**
   * Takes an answer. A cloud that is killed opens its store again.
   * @returns whether the hub has more to tell; undefined for an answer that was cut
   */
  async take(body: Buffer, kill?: Kill): Promise<boolean | undefined> {
    const store = await this.store();
    const after = await this.cursor();
    const read = await readChanges(bytes(body), after).catch(() => undefined);
    if (read === undefined) return undefined;
    let writes = 0;
    const writing = async <T>(write: () => Promise<T>): Promise<T> => {
      const isLast = writes++ === kill?.write;
      if (isLast && !kill.isDone) throw new Killed();
      const written = await write();
      if (isLast) throw new Killed();
      return written;
    };
    try {
      await applyChanges(this.#hubId, after, read, {
        store: {
          scan: (...asked) => store.scan(...asked),
          forget: (source) => writing(() => store.forget(source)),
          apply: (batch) => writing(() => this.#apply(store, batch)),
        },
        gateways: [gatewayRow(this.#hubId, this.#hubId, { name: "Cabin", version: "1", at: 1 })],
        described: (row) => row,
        now: () => 1,
        messagesFor: () => [],
        onEvents: () => {},
        onStored: () => {},
        onChanged: () => {},
        signal: new AbortController().signal,
      });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      await this.close();
    }
    if (read.head.share === "none") this.#cursors = [];
    this.#cursors.push((await this.cursor()) ?? "anew");
    return read.end.more;
  }

  async objects(): Promise<Map<string, unknown>> {
    const store = await this.store();
    const found = new Map<string, unknown>();
    for (const kind of kinds)
      for await (const { id, object } of store.scan(this.#hubId, kind)) {
        const { hidden: _, ...shown } = object ?? {};
        if (id !== this.#hubId) found.set(`${kind} ${id}`, shown);
      }
    return found;
  }
}

async function* bytes(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

type Step =
  | Move
  | { readonly follow: number; readonly cut?: number; readonly kill?: Kill }
  | { readonly astray: number }
  | "restart the hub"
  | "restart the cloud"
  | "back up"
  | "restore"
  | "stop sharing"
  | "share";

const move: fc.Arbitrary<Move> = fc.record({
  name: fc.oneof(
    fc.constantFrom(...moveNames),
    fc.constantFrom<Move["name"]>("add device", "add device", "report", "remove device"),
  ),
  pick: fc.nat(99),
  value: fc.nat(999),
});
const follow = fc.record(
  {
    follow: fc.integer({ min: 1, max: 6 }),
    cut: fc.nat(9),
    kill: fc.record({ write: fc.nat(2), isDone: fc.boolean() }),
  },
  { requiredKeys: ["follow"] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: move },
  { weight: 6, arbitrary: follow },
  { weight: 1, arbitrary: fc.record({ astray: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>("restart the hub", "restart the cloud") },
  { weight: 1, arbitrary: fc.constantFrom<Step>("back up", "restore") },
  { weight: 3, arbitrary: fc.constantFrom<Step>("stop sharing", "share") },
);

async function take(what: Step, home: Home, cloud: Cloud): Promise<unknown> {
  if (what === "restart the hub") return home.restart();
  if (what === "restart the cloud") return cloud.close();
  if (what === "back up") return home.backUp();
  if (what === "restore") return home.restore();
  if (what === "stop sharing") return home.share("none");
  if (what === "share") return home.share("states");
  if ("astray" in what) return cloud.lead(what.astray);
  if ("name" in what) return home.move(what);
  const body = await home.answer(await cloud.cursor(), what.follow);
  const length = what.cut === undefined ? body.length : Math.floor((body.length * what.cut) / 10);
  return cloud.take(body.subarray(0, length), what.kill);
}

/** Fails unless a cloud that follows a home to the end has it, after everything that happened to both. */
async function mustConverge(steps: readonly Step[], max: number, apply: Apply): Promise<void> {
  const home = await Home.open();
  const cloud = new Cloud(home.hubId, apply);
  try {
    for (const what of steps) await take(what, home, cloud);
    await home.share("states");
    for (let hasMore = true; hasMore;)
      hasMore =
        (await cloud.take(await home.answer(await cloud.cursor(), max))) ?? assert.fail("it is whole");
    assert.deepEqual(await cloud.objects(), home.objects());
  } finally {
    await cloud.remove();
  }
}

const history = fc.array(step, { minLength: 10, maxLength: 80 });
const max = fc.integer({ min: 1, max: 9 });

test("a cloud that follows a home has it, whatever is killed, cut, restored or led astray", async () => {
  const property = fc.asyncProperty(history, max, (steps, most) =>
    mustConverge(steps, most, (store, batch) => store.apply(batch)),
  );
  await fc.assert(property, { numRuns: 200 });
});

test("a cloud that stores a cursor before the rows of its answer loses some when it is killed", async () => {
  let writes = 0;
  const cursorFirst: Apply = async (store, batch) => {
    if (++writes % 4 !== 0) return store.apply(batch);
    await store.apply({ ...batch, upserts: [], removals: [] });
    throw new Killed();
  };
  const property = fc.asyncProperty(history, max, (steps, most) => mustConverge(steps, most, cursorFirst));
  await assert.rejects(fc.assert(property, { numRuns: 20, endOnFailure: true }), /Property failed/);
});
