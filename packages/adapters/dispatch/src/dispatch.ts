import { limits } from "@ledge/model";
import type { AdapterErrorCode, NativeId } from "@ledge/port";
import type { Match } from "./echo.ts";
import { Expectations } from "./echo.ts";
import type { Frame, Part } from "./frame.ts";
import { commandOf, merge, nextOf, placeFor, targets } from "./frame.ts";
import type { Dispatch, DispatchOptions, Effect, Submission } from "./submission.ts";

interface UnderWay {
  readonly send: number;
  /** Undefined once it was given up: then only its radio and its device wait for the answer. */
  readonly frame: Frame | undefined;
  /** When an adapter that has not answered is no longer waited for. */
  readonly guard: number;
}

interface Target {
  readonly native: NativeId;
  readonly radio: string;
  frames: Frame[];
  underWay: UnderWay | undefined;
}

const defaultBackoffMs = [1000, 4000, 15_000];

const retried: ReadonlySet<AdapterErrorCode> = new Set(["unreachable", "timeout", "busy"]);

export function createDispatch(options: DispatchOptions): Dispatch {
  return new Dispatcher(options);
}

class Dispatcher implements Dispatch {
  readonly #inFlight: (radio: string) => number;
  readonly #queued: number;
  readonly #backoffMs: readonly number[];
  readonly #sendTimeoutMs: number;
  /** Devices with something to do; the order is whose turn it is. */
  readonly #targets = new Map<NativeId, Target>();
  readonly #underWay = new Map<number, Target>();
  readonly #expectations = new Expectations(limits.commandTimeoutMs);
  #lastSend = 0;
  #now = -Infinity;
  #waiting = 0;

  constructor(options: DispatchOptions) {
    this.#inFlight = options.inFlight;
    this.#queued = options.queued ?? limits.commandsQueued;
    this.#backoffMs = options.backoffMs ?? defaultBackoffMs;
    this.#sendTimeoutMs = options.sendTimeoutMs ?? limits.sendTimeoutMs;
  }

  get waiting(): number {
    return this.#waiting;
  }

  submit(submission: Submission, now: number): Effect[] {
    const { id, native, radio, command, absolute, before = {} } = submission;
    // A refresh outlives the commands before it with all their tries: it tells what has become of them.
    const { ttlMs = command.type === "refresh" ? limits.refreshMs : limits.commandTimeoutMs } = submission;
    const attributes = command.type === "set" ? command.attributes : {};
    const part: Part = { id, attributes, before, deadline: now + ttlMs };
    const frame: Frame = { type: command.type, absolute, parts: [part], tries: 0, notBefore: now };
    if (!this.#hasRoom(native, frame)) return [failed(id, "busy", `${this.#queued} commands wait already`)];
    const effects: Effect[] = [];
    this.#waiting += 1;
    this.#append(this.#targetOf(native, radio), frame, effects);
    this.#pump(now, effects);
    return effects;
  }

  outcome(
    send: number,
    error: { code: AdapterErrorCode; message: string } | undefined,
    now: number,
  ): Effect[] {
    const effects: Effect[] = [];
    const target = this.#underWay.get(send);
    if (!target) return effects;
    const frame = target.underWay?.frame;
    this.#underWay.delete(send);
    target.underWay = undefined;
    // To the end of the round: every other device comes first now.
    this.#targets.delete(target.native);
    this.#targets.set(target.native, target);
    if (frame && !error) {
      for (const { id } of frame.parts) effects.push({ type: "settle", id, outcome: { result: "done" } });
    } else if (frame && error) this.#failed(target, frame, error, now, effects);
    this.#pump(now, effects);
    return effects;
  }

  report(
    native: NativeId,
    attributes: Readonly<Record<string, unknown>>,
    now: number,
  ): { effects: Effect[]; matches: Match[] } {
    const matches = this.#expectations.match(native, attributes, now);
    const effects: Effect[] = [];
    const target = this.#targets.get(native);
    const retry = target?.frames.find(({ tries }) => tries > 0);
    if (target && retry) {
      const confirmed = matches.filter(({ as }) => as === "confirmed");
      this.#confirm(target, retry, confirmed, effects);
    }
    if (effects.length > 0) this.#pump(now, effects);
    return { effects, matches };
  }

  tick(now: number): Effect[] {
    const effects: Effect[] = [];
    this.#expectations.prune(now);
    for (const target of this.#targets.values()) {
      if (!target.underWay || now < target.underWay.guard) continue;
      const frame = giveUp(target, effects);
      const silence = { code: "timeout", message: "the adapter did not answer" } as const;
      if (frame) this.#failed(target, frame, silence, now, effects);
    }
    this.#pump(now, effects);
    return effects;
  }

  forget(native: NativeId, now: number): Effect[] {
    const effects: Effect[] = [];
    this.#expectations.forget(native);
    const target = this.#targets.get(native);
    if (!target) return effects;
    for (const frame of target.frames.splice(0))
      this.#settleWaiting(frame.parts, "refused", "the device is gone", effects);
    for (const { id } of giveUp(target, effects)?.parts ?? [])
      effects.push(failed(id, "refused", "the device is gone"));
    this.#pump(now, effects);
    return effects;
  }

  due(): number | undefined {
    let due = Infinity;
    for (const { underWay, frames } of this.#targets.values()) {
      if (underWay) due = Math.min(due, underWay.guard);
      // One that could go now waits for the radio: the next outcome lets it go, not a tick.
      else if (frames[0] && frames[0].notBefore > this.#now) due = Math.min(due, frames[0].notBefore);
      for (const { parts } of frames) for (const { deadline } of parts) due = Math.min(due, deadline);
    }
    return due === Infinity ? undefined : due;
  }

  #targetOf(native: NativeId, radio: string): Target {
    const known = this.#targets.get(native);
    if (known) return known;
    const target: Target = { native, radio, frames: [], underWay: undefined };
    this.#targets.set(native, target);
    return target;
  }

  /** What merges takes nobody's place. A refresh needs none: there is one behind each waiting command at most. */
  #hasRoom(native: NativeId, frame: Frame): boolean {
    if (this.#waiting < this.#queued || frame.type === "refresh") return true;
    const target = this.#targets.get(native);
    return target !== undefined && placeFor(frame, target.frames) !== -1;
  }

  /** Into a frame that waits, or at the end of the device's line. */
  #append(target: Target, frame: Frame, effects: Effect[]): void {
    const place = placeFor(frame, target.frames);
    const waiting = target.frames[place];
    if (!waiting) {
      target.frames.push(frame);
      return;
    }
    const merged = merge(waiting, frame);
    target.frames[place] = merged.frame;
    this.#waiting -= merged.superseded.length;
    for (const id of merged.superseded)
      effects.push({ type: "settle", id, outcome: { result: "superseded" } });
  }

  /** Sends what may be sent, device by device in turn. */
  #pump(now: number, effects: Effect[]): void {
    this.#now = now;
    const busy = new Map<string, number>();
    for (const { radio } of this.#underWay.values()) busy.set(radio, (busy.get(radio) ?? 0) + 1);
    const round = [...this.#targets.values()];
    for (const target of round) {
      this.#expire(target, now, effects);
      const { native, radio, frames, underWay } = target;
      if (frames.length === 0 && !underWay) this.#targets.delete(native);
      const onRadio = busy.get(radio) ?? 0;
      const next = underWay ? undefined : nextOf(frames, now);
      if (!next || onRadio >= this.#inFlight(radio)) continue;
      target.frames = frames.filter((frame) => frame !== next);
      busy.set(radio, onRadio + 1);
      this.#send(target, next, now, effects);
    }
  }

  #send(target: Target, frame: Frame, now: number, effects: Effect[]): void {
    this.#lastSend += 1;
    const send = this.#lastSend;
    this.#waiting -= frame.parts.length;
    target.underWay = { send, frame, guard: now + this.#sendTimeoutMs + limits.sendGuardMs };
    this.#underWay.set(send, target);
    const command = commandOf(frame);
    const transition = command.type === "set" ? command.attributes["transitionMsec"] : undefined;
    for (const part of frame.parts) this.#expectations.expect(target.native, part, transition, now);
    effects.push({ type: "send", send, native: target.native, command, timeoutMs: this.#sendTimeoutMs });
  }

  /** Gives up commands whose time is over before they went out. */
  #expire(target: Target, now: number, effects: Effect[]): void {
    if (target.frames.every(({ parts }) => parts.every(({ deadline }) => deadline > now))) return;
    target.frames = target.frames.flatMap((frame) => {
      const late = frame.parts.filter(({ deadline }) => deadline <= now);
      const parts = frame.parts.filter(({ deadline }) => deadline > now);
      this.#settleWaiting(late, "timeout", "its time was over before it could be sent", effects);
      return parts.length > 0 ? [{ ...frame, parts }] : [];
    });
  }

  /** A try has failed: another one later for those commands that have the time, as part of what waits. */
  #failed(
    target: Target,
    frame: Frame,
    error: { code: AdapterErrorCode; message: string },
    now: number,
    effects: Effect[],
  ): void {
    const pauseMs = this.#backoffMs[frame.tries];
    const again = frame.absolute && retried.has(error.code) && pauseMs !== undefined;
    const notBefore = now + (pauseMs ?? 0);
    const parts = frame.parts.filter(({ deadline }) => again && notBefore < deadline);
    for (const part of frame.parts)
      if (!parts.includes(part)) effects.push(failed(part.id, error.code, error.message));
    if (parts.length === 0) return;
    const later = target.frames;
    this.#waiting += parts.length;
    target.frames = [{ ...frame, parts, tries: frame.tries + 1, notBefore }];
    // A newer command does not wait for the pause: somebody wants something now.
    for (const next of later) this.#append(target, next, effects);
  }

  #confirm(target: Target, frame: Frame, confirmed: readonly Match[], effects: Effect[]): void {
    const shown = new Set(confirmed.map(({ id, commanded }) => `${id} ${commanded}`));
    const isDone = (part: Part): boolean =>
      targets(part).length > 0 && targets(part).every((name) => shown.has(`${part.id} ${name}`));
    const parts = frame.parts.filter((part) => !isDone(part));
    if (parts.length === frame.parts.length) return;
    for (const part of frame.parts) {
      if (isDone(part)) effects.push({ type: "settle", id: part.id, outcome: { result: "done" } });
    }
    this.#waiting -= frame.parts.length - parts.length;
    target.frames = target.frames.flatMap((other) => {
      if (other !== frame) return [other];
      return parts.length > 0 ? [{ ...frame, parts }] : [];
    });
  }

  #settleWaiting(parts: readonly Part[], code: AdapterErrorCode, message: string, effects: Effect[]): void {
    this.#waiting -= parts.length;
    for (const { id } of parts) effects.push(failed(id, code, message));
  }
}

/** Nobody waits for the adapter's answer any more. @returns what was under way, if it had not been given up. */
function giveUp(target: Target, effects: Effect[]): Frame | undefined {
  if (!target.underWay?.frame) return undefined;
  const { send, frame } = target.underWay;
  target.underWay = { send, frame: undefined, guard: Infinity };
  effects.push({ type: "cancel", send });
  return frame;
}

function failed(id: string, code: AdapterErrorCode, message: string): Effect {
  return { type: "settle", id, outcome: { result: "failed", code, message } };
}
