import { limits } from "@ledge/model";
import type { AdapterErrorCode, NativeId } from "@ledge/port";
import type { Match } from "./echo.ts";
import { Expectations } from "./echo.ts";
import type { Cast, Frame, Part } from "./frame.ts";
import {
  closeCasts,
  commandOf,
  isShareOf,
  merge,
  nextOf,
  openCast,
  overtakes,
  placeFor,
  targets,
} from "./frame.ts";
import { SilentDevices } from "./silent.ts";
import type { Dispatch, DispatchOptions, Effect, Submission } from "./submission.ts";

/** An operation in flight on a radio: a frame to one device, or a cast to several. */
interface Send {
  readonly id: number;
  readonly radio: string;
  readonly isCast: boolean;
  /** Only silent devices receive it, so no answer is expected. */
  readonly isVain: boolean;
  /** When to give up on an adapter that has not answered. */
  readonly guard: number;
  /** The devices that have not answered. */
  readonly targets: Set<Target>;
}

interface UnderWay {
  readonly send: Send;
  /** Undefined after it was given up: then its radio and device still wait for the outcome. */
  readonly frame: Frame | undefined;
}

interface Target {
  readonly native: NativeId;
  readonly radio: string;
  frames: Frame[];
  underWay: UnderWay | undefined;
}

interface Fault {
  readonly code: AdapterErrorCode;
  readonly message: string;
}

const defaultBackoffMs = [1000, 4000, 15_000];

const retried: ReadonlySet<AdapterErrorCode> = new Set(["unreachable", "timeout", "busy"]);

const away: Fault = { code: "unreachable", message: "the adapter was away until the command expired" };
const tooLate: Fault = { code: "timeout", message: "the command expired before it could be sent" };
const noAnswer: Fault = { code: "timeout", message: "the adapter did not answer" };

/** Makes the dispatch of one adapter. */
export function createDispatch(options: DispatchOptions): Dispatch {
  return new Dispatcher(options);
}

class Dispatcher implements Dispatch {
  readonly #inFlight: (radio: string) => number;
  readonly #queued: number;
  readonly #backoffMs: readonly number[];
  readonly #sendTimeoutMs: number;
  /** Devices with work to do, in order of their turns. */
  readonly #targets = new Map<NativeId, Target>();
  readonly #underWay = new Map<number, Send>();
  readonly #silent = new SilentDevices();
  readonly #expectations = new Expectations(limits.commandTimeoutMs);
  #isHeld = false;
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
    const effects: Effect[] = [];
    this.#take(submission, undefined, now, effects);
    this.#pump(now, effects);
    return effects;
  }

  cast(group: string, submissions: readonly Submission[], now: number): Effect[] {
    const effects: Effect[] = [];
    const command = submissions[0]?.command;
    const isOpen = submissions.every((each) => each.absolute && each.command.type === "set");
    const cast: Cast | undefined = command && { group, command, isOpen, waitsUntil: now + limits.castWaitMs };
    for (const submission of submissions) this.#take(submission, cast, now, effects);
    this.#pump(now, effects);
    return effects;
  }

  answered(send: number, native: NativeId, error: Fault | undefined, now: number): Effect[] {
    const effects: Effect[] = [];
    const target = this.#targets.get(native);
    if (target?.underWay?.send.id !== send || !target.underWay.send.isCast) return effects;
    this.#end(target, target.underWay, error, now, effects);
    this.#pump(now, effects);
    return effects;
  }

  outcome(send: number, error: Fault | undefined, now: number): Effect[] {
    const effects: Effect[] = [];
    const ended = this.#underWay.get(send);
    if (!ended) return effects;
    this.#underWay.delete(send);
    for (const target of ended.targets) {
      const { underWay } = target;
      if (underWay) this.#end(target, underWay, error ?? (ended.isCast ? noAnswer : undefined), now, effects);
    }
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
    const isBack = attributes["reachable"] !== false && this.#silent.delete(native);
    if (attributes["reachable"] === false) this.#silent.add(native);
    const retry = target?.frames.find(({ tries, missed }) => tries > 0 || missed);
    if (target && retry) {
      const confirmed = matches.filter(({ as }) => as === "confirmed");
      this.#confirm(target, retry, confirmed, effects);
    }
    if (effects.length > 0 || (isBack && target)) this.#pump(now, effects);
    return { effects, matches };
  }

  hold(): void {
    this.#isHeld = true;
    // Missing answers of the last moments were the adapter's fault.
    this.#silent.clear();
  }

  resume(now: number): Effect[] {
    const effects: Effect[] = [];
    this.#isHeld = false;
    for (const target of this.#targets.values())
      target.frames = target.frames.map((frame) => ({ ...frame, notBefore: Math.min(frame.notBefore, now) }));
    this.#pump(now, effects);
    return effects;
  }

  tick(now: number): Effect[] {
    const effects: Effect[] = [];
    this.#expectations.prune(now);
    for (const target of this.#targets.values()) {
      const { underWay } = target;
      if (!underWay || now < underWay.send.guard) continue;
      const frame = giveUp(target, effects);
      if (!frame) continue;
      if (!underWay.send.isCast && !this.#isHeld) this.#silent.add(target.native, now);
      this.#unsuccessful(target, { ...underWay, frame }, noAnswer, now, effects);
    }
    this.#pump(now, effects);
    return effects;
  }

  forget(native: NativeId, now: number): Effect[] {
    const effects: Effect[] = [];
    this.#expectations.forget(native);
    this.#silent.delete(native);
    const target = this.#targets.get(native);
    if (!target) return effects;
    for (const { parts } of target.frames.splice(0)) {
      // A waiting cast would reach the device after its return, behind newer commands.
      closeCasts(parts);
      this.#settleWaiting(parts, "refused", "the device is gone", effects);
    }
    for (const { id } of giveUp(target, effects)?.parts ?? [])
      effects.push(failed(id, "refused", "the device is gone"));
    this.#pump(now, effects);
    return effects;
  }

  due(): number | undefined {
    let due = Infinity;
    for (const { underWay, frames } of this.#targets.values()) {
      if (underWay) due = Math.min(due, underWay.frame ? underWay.send.guard : Infinity);
      // A frame that is ready waits for the radio: the next outcome sends it, not a tick.
      else if (frames[0] && frames[0].notBefore > this.#now && !this.#isHeld)
        due = Math.min(due, frames[0].notBefore);
      for (const { parts } of frames) {
        for (const { deadline, cast } of parts) {
          due = Math.min(due, deadline);
          if (cast?.isOpen && cast.waitsUntil > this.#now && !this.#isHeld)
            due = Math.min(due, cast.waitsUntil);
        }
      }
    }
    return due === Infinity ? undefined : due;
  }

  /** Queues a command for its turn, or refuses it when there is no room. */
  #take(submission: Submission, cast: Cast | undefined, now: number, effects: Effect[]): void {
    const { id, native, radio, command, absolute, before = {}, givenAt = now } = submission;
    // A refresh outlives the commands before it with all their retries: it reads back their result.
    const { ttlMs = command.type === "refresh" ? limits.refreshMs : limits.commandTimeoutMs } = submission;
    const attributes = command.type === "set" ? command.attributes : {};
    const part: Part = { id, attributes, before, deadline: givenAt + ttlMs, ...(cast && { cast }) };
    const frame: Frame = { type: command.type, absolute, parts: [part], tries: 0, notBefore: now };
    if (!this.#hasRoom(native, frame)) {
      // The cast would reach this device too.
      if (cast) cast.isOpen = false;
      effects.push(failed(id, "busy", `${this.#queued} commands are already waiting`));
      return;
    }
    this.#waiting += 1;
    this.#append(this.#targetOf(native, radio), frame, effects);
  }

  #targetOf(native: NativeId, radio: string): Target {
    const known = this.#targets.get(native);
    if (known) return known;
    const target: Target = { native, radio, frames: [], underWay: undefined };
    this.#targets.set(native, target);
    return target;
  }

  /** A merged command needs no room. Neither does a refresh: at most one follows each waiting command. */
  #hasRoom(native: NativeId, frame: Frame): boolean {
    if (this.#waiting < this.#queued || frame.type === "refresh") return true;
    const target = this.#targets.get(native);
    return target !== undefined && placeFor(frame, target.frames) !== -1;
  }

  /** Merges a frame into a waiting one, or appends it to the device's queue. */
  #append(target: Target, frame: Frame, effects: Effect[]): void {
    const place = placeFor(frame, target.frames);
    const waiting = target.frames[place];
    if (!waiting) {
      target.frames.push(frame);
      return;
    }
    // A cast after this newer command would undo it.
    closeCasts(waiting.parts);
    const merged = merge(waiting, frame);
    target.frames[place] = merged.frame;
    this.#waiting -= merged.superseded.length;
    for (const id of merged.superseded)
      effects.push({ type: "settle", id, outcome: { result: "superseded" } });
  }

  /** Sends what the limits allow, device by device in turn. */
  #pump(now: number, effects: Effect[]): void {
    this.#now = now;
    for (const target of this.#targets.values()) this.#expire(target, now, effects);
    if (this.#isHeld) return;
    const round = this.#silent.inTurn([...this.#targets.values()]);
    // No place becomes free during a round, and a thousand devices may wait for one: remember full radios.
    const full = new Set<string>();
    for (const target of round) {
      const { native, radio, frames, underWay } = target;
      if (frames.length === 0 && !underWay) this.#targets.delete(native);
      const next = turnOf(target, now);
      if (!next || full.has(radio)) continue;
      if (!this.#hasPlace(radio)) {
        full.add(radio);
        continue;
      }
      const cast = openCast(next);
      const free = cast ? this.#freeFor(cast, radio, now) : [];
      if (underWay && free.length < 2) continue;
      if (cast && now < cast.waitsUntil && this.#hasBusy(cast, now)) continue;
      const isCast = cast !== undefined && free.length > 1;
      const receivers = isCast ? free.map(([each]) => each) : [target];
      const isVain = receivers.every((each) => this.#silent.has(each.native));
      if (isVain && !this.#hasPlaceInVain(radio)) continue;
      // From here on each member may get newer commands, so the cast goes out now or never.
      if (cast) cast.isOpen = false;
      if (isCast) this.#sendCast(cast, { radio, isVain }, free, now, effects);
      else this.#send(target, next, isVain, now, effects);
      // The device has more to send than its share of the cast: that comes after it.
      if (!target.underWay) round.push(target);
    }
  }

  #hasPlace(radio: string): boolean {
    return this.#sendsOf(radio).length < this.#inFlight(radio);
  }

  /** A send to silent devices occupies its place for seconds, so those leave one of several places free. */
  #hasPlaceInVain(radio: string): boolean {
    const vain = this.#sendsOf(radio).filter(({ isVain }) => isVain);
    return vain.length < Math.max(1, this.#inFlight(radio) - 1);
  }

  #sendsOf(radio: string): readonly Send[] {
    return [...this.#underWay.values()].filter((send) => send.radio === radio);
  }

  /** The devices that a cast can reach now, each with its share. */
  #freeFor(cast: Cast, radio: string, now: number): [Target, Frame][] {
    return [...this.#targets.values()].flatMap((target): [Target, Frame][] => {
      const next = target.radio === radio ? turnOf(target, now) : undefined;
      return next !== undefined && isShareOf(cast, next) ? [[target, next]] : [];
    });
  }

  /** Whether some devices of a cast are still busy with another cast. */
  #hasBusy(cast: Cast, now: number): boolean {
    return [...this.#targets.values()].some(
      (target) =>
        target.underWay?.send.isCast &&
        target.frames.some((frame) => isShareOf(cast, frame)) &&
        turnOf(target, now) === undefined,
    );
  }

  #send(target: Target, frame: Frame, isVain: boolean, now: number, effects: Effect[]): void {
    const { native } = target;
    const send = this.#begin({ radio: target.radio, isCast: false, isVain }, now);
    this.#join(send, target, frame, now, effects);
    const timeoutMs = this.#sendTimeoutMs;
    effects.push({ type: "send", send: send.id, native, command: commandOf(frame), timeoutMs });
  }

  #sendCast(
    { group, command }: Cast,
    how: Pick<Send, "radio" | "isVain">,
    free: readonly [Target, Frame][],
    now: number,
    effects: Effect[],
  ): void {
    const send = this.#begin({ ...how, isCast: true }, now);
    for (const [target, frame] of free) this.#join(send, target, frame, now, effects);
    const natives = free.map(([{ native }]) => native);
    const timeoutMs = this.#sendTimeoutMs;
    effects.push({ type: "cast", send: send.id, group, natives, command, timeoutMs });
  }

  #begin(how: Pick<Send, "radio" | "isCast" | "isVain">, now: number): Send {
    this.#lastSend += 1;
    const guard = now + this.#sendTimeoutMs + limits.sendGuardMs;
    const send: Send = { ...how, id: this.#lastSend, guard, targets: new Set() };
    this.#underWay.set(send.id, send);
    return send;
  }

  /** Moves a device's waiting frame into a send. */
  #join(send: Send, target: Target, frame: Frame, now: number, effects: Effect[]): void {
    const before = target.underWay?.send;
    for (const { id } of giveUp(target, effects)?.parts ?? [])
      effects.push({ type: "settle", id, outcome: { result: "superseded" } });
    before?.targets.delete(target);
    target.frames = target.frames.filter((other) => other !== frame);
    this.#waiting -= frame.parts.length;
    target.underWay = { send, frame };
    this.#silent.tried(target.native, now);
    send.targets.add(target);
    const command = commandOf(frame);
    const transition = command.type === "set" ? command.attributes["transitionMsec"] : undefined;
    for (const part of frame.parts) this.#expectations.expect(target.native, part, transition, now);
  }

  /** Frees a device after its answer. */
  #end(target: Target, underWay: UnderWay, error: Fault | undefined, now: number, effects: Effect[]): void {
    const { send, frame } = underWay;
    send.targets.delete(target);
    target.underWay = undefined;
    const answer = { error: error?.code, isCast: send.isCast, isAwaited: frame !== undefined };
    if (!this.#isHeld) this.#silent.answered(target.native, answer, now);
    // To the end of the round: every other device comes first.
    this.#targets.delete(target.native);
    this.#targets.set(target.native, target);
    if (!frame) return;
    if (error) this.#unsuccessful(target, { send, frame }, error, now, effects);
    else for (const { id } of frame.parts) effects.push({ type: "settle", id, outcome: { result: "done" } });
  }

  /** Fails commands that expired before they were sent. */
  #expire(target: Target, now: number, effects: Effect[]): void {
    if (target.frames.every(({ parts }) => parts.every(({ deadline }) => deadline > now))) return;
    target.frames = target.frames.flatMap((frame) => {
      const late = frame.parts.filter(({ deadline }) => deadline <= now);
      const parts = frame.parts.filter(({ deadline }) => deadline > now);
      const { code, message } = this.#isHeld ? away : tooLate;
      this.#settleWaiting(late, code, message, effects);
      return parts.length > 0 ? [{ ...frame, parts }] : [];
    });
  }

  /** A device that missed a cast gets the command singly at once, with the usual retries. */
  #unsuccessful(
    target: Target,
    { send, frame }: UnderWay & { readonly frame: Frame },
    error: Fault,
    now: number,
    effects: Effect[],
  ): void {
    if (send.isCast) this.#again(target, { ...frame, missed: true, notBefore: now }, effects);
    else this.#failed(target, frame, error, now, effects);
  }

  /**
   * Handles a failed try: fails the commands that must not be retried or expire first, and queues the rest
   * for a retry.
   */
  #failed(target: Target, frame: Frame, error: Fault, now: number, effects: Effect[]): void {
    if (error.code === "asleep" && frame.absolute && frame.type === "set") {
      const outcome = { result: "deferred", message: error.message } as const;
      for (const { id } of frame.parts) effects.push({ type: "settle", id, outcome });
      return;
    }
    const pauseMs = this.#backoffMs[frame.tries];
    const again = frame.absolute && retried.has(error.code) && pauseMs !== undefined;
    const notBefore = now + (pauseMs ?? 0);
    const parts = frame.parts.filter(({ deadline }) => again && notBefore < deadline);
    for (const part of frame.parts)
      if (!parts.includes(part)) effects.push(failed(part.id, error.code, error.message));
    if (parts.length > 0)
      this.#again(target, { ...frame, parts, tries: frame.tries + 1, notBefore }, effects);
  }

  #again(target: Target, frame: Frame, effects: Effect[]): void {
    const later = target.frames;
    this.#waiting += frame.parts.length;
    target.frames = [frame];
    // A newer command skips the backoff: its user expects a reaction now.
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

/**
 * Returns the frame that a device may get now. While the device has not answered a cast, only a newer cast
 * may follow that supersedes the whole older one: no radio queues casts, and an answer to the newer cast
 * settles the older one.
 */
function turnOf({ frames, underWay }: Target, now: number): Frame | undefined {
  const next = nextOf(frames, now);
  if (!underWay || !next) return next;
  const cast = openCast(next);
  const isNext = cast && underWay.send.isCast && underWay.frame && isShareOf(cast, next);
  return isNext && overtakes(next, underWay.frame) ? next : undefined;
}

/**
 * Stops waiting for the device's answer.
 * @returns what was in flight, unless it was already given up.
 */
function giveUp(target: Target, effects: Effect[]): Frame | undefined {
  if (!target.underWay?.frame) return undefined;
  const { send, frame } = target.underWay;
  target.underWay = { send, frame: undefined };
  const isWanted = [...send.targets].some(({ underWay }) => underWay?.frame !== undefined);
  if (!isWanted) effects.push({ type: "cancel", send: send.id });
  return frame;
}

function failed(id: string, code: AdapterErrorCode, message: string): Effect {
  return { type: "settle", id, outcome: { result: "failed", code, message } };
}
