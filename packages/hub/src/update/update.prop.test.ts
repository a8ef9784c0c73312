import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  decideUpdate,
  evolveUpdate,
  noUpdate,
  type Release,
  type Slot,
  type SlotFacts,
  type UpdateCommand,
  type UpdateState,
} from "./update.ts";

const release = (version: string): Release => ({ version, profile: "rpi4", formats: [] });
const slots = ["A", "B"] as const;

/** Why the machine stops in the middle of a step. */
class Cut extends Error {}

/** A machine with two slots, a boot loader that counts tries as `ledge-slots` does, and a hub that updates it. */
class Board {
  readonly content: Record<Slot, string> = { A: "0.0.1", B: "" };
  readonly loader: Record<Slot, "good" | "bad" | "new" | "tried"> = { A: "good", B: "bad" };
  primary: Slot = "A";
  booted: Slot = "A";
  kept: UpdateState = noUpdate;
  /** Steps until the power goes. */
  fuel = Infinity;
  /** Releases that do not serve. */
  readonly broken = new Set<string>();
  #clock = 0;

  step(act: () => void): void {
    if (this.fuel <= 0) throw new Cut();
    this.fuel -= 1;
    act();
  }

  facts(): SlotFacts {
    const { booted, primary, loader } = this;
    return { booted, primary, isGood: { A: loader.A === "good", B: loader.B === "good" } };
  }

  tell(command: UpdateCommand): boolean {
    const decided = decideUpdate(this.kept, command);
    if ("refusal" in decided) return false;
    for (const event of decided) {
      const next = evolveUpdate(this.kept, event, (this.#clock += 1));
      this.step(() => (this.kept = next));
    }
    return true;
  }

  boot(): void {
    const other = this.primary === "A" ? "B" : "A";
    if (this.loader[this.primary] === "new") this.loader[this.primary] = "tried";
    else if (this.loader[this.primary] !== "good" && this.loader[other] === "good") {
      this.loader[this.primary] = "bad";
      this.primary = other;
    }
    this.booted = this.primary;
    const runs = this.content[this.booted];
    assert.match(runs, /^\d/, "a slot without a whole release is booted");
    if (this.broken.has(runs)) return;
    this.tell({ type: "NOTE_STARTED", slots: this.facts() });
    if (this.loader[this.booted] !== "good") this.step(() => (this.loader[this.booted] = "good"));
    this.tell({ type: "NOTE_HEALTHY" });
  }

  /** @param restart the step of the installation at which the hub alone is killed and starts again, if any */
  update(version: string, restart: number): void {
    const running = release(this.content[this.booted]);
    if (this.broken.has(running.version)) return;
    const target = this.booted === "A" ? "B" : "A";
    if (!this.tell({ type: "REQUEST", running, slots: this.facts() })) return;
    this.tell({ type: "NOTE_FETCHED" });
    this.tell({ type: "NOTE_CHECKED", running, bundle: release(version) });
    if (this.kept.stage.phase !== "INSTALLING") return;
    const writing = [
      () => void (this.loader[target] = "bad"),
      () => void (this.content[target] = "half"),
      () => void (this.content[target] = version),
      () => {
        this.loader[target] = "new";
        this.primary = target;
      },
    ];
    for (const [index, act] of writing.entries()) {
      if (index === restart) this.tell({ type: "NOTE_STARTED", slots: this.facts() });
      this.step(act);
    }
    if (restart === writing.length) this.tell({ type: "NOTE_STARTED", slots: this.facts() });
    if (restart > writing.length) this.tell({ type: "NOTE_INSTALLED" });
    this.boot();
  }

  goBack(): void {
    const running = release(this.content[this.booted]);
    if (this.broken.has(running.version)) return;
    if (!this.tell({ type: "ROLL_BACK", running, slots: this.facts() })) return;
    const target = this.booted === "A" ? "B" : "A";
    this.step(() => (this.primary = target));
    this.boot();
  }
}

const action = fc.record({
  what: fc.constantFrom("update", "update", "update", "go back", "boot"),
  fuel: fc.oneof(fc.nat(14), fc.constant(Infinity)),
  isBroken: fc.boolean(),
  restart: fc.nat(8),
});

test("a machine whose power goes at any moment of any update boots a whole release that says how the update ended", () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 1, maxLength: 12 }), (actions) => {
      const board = new Board();
      for (const [index, { what, fuel, isBroken, restart }] of actions.entries()) {
        const version = `0.0.${index + 2}`;
        if (isBroken) board.broken.add(version);
        board.fuel = fuel;
        try {
          if (what === "update") board.update(version, restart);
          else if (what === "go back") board.goBack();
          else board.boot();
        } catch (error) {
          if (!(error instanceof Cut)) throw error;
        }
        // The power is back for good: at most one boot of a broken release, then one that serves.
        board.fuel = Infinity;
        board.boot();
        if (board.broken.has(board.content[board.booted])) board.boot();
        const runs = board.content[board.booted];
        assert.ok(!board.broken.has(runs), `the machine stays in ${runs}, which does not serve`);
        const { stage, outcome } = board.kept;
        assert.equal(stage.phase, "IDLE");
        assert.equal(board.facts().isGood[board.booted], true);
        if (outcome?.result === "INSTALLED") assert.equal(outcome.version, runs);
        else if (outcome !== null) assert.notEqual(outcome.version, runs);
        assert.ok(slots.some((slot) => board.loader[slot] === "good"));
      }
    }),
  );
});
