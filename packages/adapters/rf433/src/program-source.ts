import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AdapterClock, reopenDelay, settledWithin, tied } from "@ledge/port";
import { type LineEvents, Lines, type LineSource } from "@ledge/serial";
import type { ProgramPlace } from "./settings.ts";

/** A stick that is gone stays away for a while. */
const reopenMostMs = 60_000;
/** A program that lives as long has found its stick. */
const settledMs = 5000;
const endMs = 2000;
/** How much of what it says of its end is kept, characters. */
const wordsAtMost = 300;

/** Runs a program that writes lines, and runs it again when it ends. It never outlives this process. */
export class ProgramSource implements LineSource {
  readonly #place: ProgramPlace;
  readonly #clock: AdapterClock;
  readonly #random: () => number;
  #child: ChildProcess | undefined;
  #attempt = 0;
  #isUp: boolean | undefined;
  #isStopped = false;
  #stopTimer: () => void = () => {};

  constructor(place: ProgramPlace, clock: AdapterClock, random: () => number) {
    this.#place = place;
    this.#clock = clock;
    this.#random = random;
  }

  start(events: LineEvents): void {
    const { path, arguments: given } = this.#place;
    const child = spawn(...tied(path, given), { stdio: ["ignore", "pipe", "pipe"] });
    const lines = new Lines();
    let words = "";
    let reason = "";
    this.#child = child;
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      // Without a word of it, a program that is about to fail looks like one that listens.
      this.#tell(events, true, "");
      lines.push(text, (line) => this.#isStopped || events.onLine(line));
    });
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      words = (words + text).slice(-wordsAtMost);
    });
    child.on("error", (error) => {
      reason = error.message;
    });
    child.on("close", (code, signal) => {
      if (this.#child !== child) return;
      this.#stopTimer();
      if (this.#isStopped) return;
      const end = reason === "" ? `it has ended (${signal ?? code})` : reason;
      const last = words.trim().split("\n").at(-1) ?? "";
      this.#tell(events, false, last === "" ? end : `${end}: ${last}`);
      this.#stopTimer = this.#clock.after(reopenDelay(this.#attempt, this.#random(), reopenMostMs), () =>
        this.start(events),
      );
      this.#attempt += 1;
    });
    this.#stopTimer = this.#clock.after(settledMs, () => {
      this.#attempt = 0;
      this.#tell(events, true, "");
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    const child = this.#child;
    if (child === undefined || child.pid === undefined || hasEnded(child)) return;
    const ended = once(child, "close");
    child.kill("SIGTERM");
    if (await settledWithin(endMs, this.#clock, ended)) return;
    child.kill("SIGKILL");
    await settledWithin(endMs, this.#clock, ended);
  }

  #tell({ onChange }: LineEvents, isUp: boolean, reason: string): void {
    if (this.#isUp === isUp || this.#isStopped) return;
    this.#isUp = isUp;
    onChange(isUp, reason);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;
