import type { HubUser, Method, Stream } from "./api.ts";
import { HubError } from "./errors.ts";
import {
  type Frame,
  type InvocationMessage,
  type Outcome,
  ProtocolError,
  type StreamInvocationMessage,
} from "./protocol/messages.ts";
import { type Caller, pump, RunningCall } from "./running-call.ts";
import type { HubSettings } from "./settings.ts";
import type { Targets } from "./targets.ts";

interface Surroundings<User extends HubUser> extends Caller<User> {
  readonly settings: HubSettings;
  readonly targets: Targets<User>;
  report(error: unknown): void;
  /** Called when a call that had to wait was begun. */
  proceed(): void;
}

interface WaitingCall {
  readonly message: InvocationMessage;
  readonly byteLength: number;
}

/** The calls of one client: methods, a limited number at a time, and streams. */
export class Calls<User extends HubUser> {
  readonly #surroundings: Surroundings<User>;
  #running = 0;
  #streams = 0;
  #waiting: WaitingCall[] = [];
  #waitingBytes = 0;
  #open: Map<string, RunningCall<User>> | undefined;
  #isEnded = false;

  constructor(surroundings: Surroundings<User>) {
    this.#surroundings = surroundings;
  }

  /** Whether so many calls wait that no more should be read. */
  get isBusy(): boolean {
    const { maxWaitingCalls, maxWaitingBytes } = this.#surroundings.settings;
    return this.#waiting.length >= maxWaitingCalls || this.#waitingBytes >= maxWaitingBytes;
  }

  /**
   * Begins a call, or keeps it until others have ended.
   * @param byteLength of the message
   */
  invoke(message: InvocationMessage, byteLength: number): void {
    this.#refuseReuse(message.invocationId);
    this.#waiting.push({ message, byteLength });
    this.#waitingBytes += byteLength;
    this.#beginWaiting();
  }

  /** Begins a stream. */
  stream(message: StreamInvocationMessage): void {
    const { targets, settings } = this.#surroundings;
    const { invocationId } = message;
    this.#refuseReuse(invocationId);
    const stream = targets.stream(message);
    if (typeof stream !== "function") return this.#complete(invocationId, stream);
    if (this.#streams >= settings.maxStreams) {
      return this.#complete(invocationId, { error: `At most ${settings.maxStreams} streams may be open.` });
    }
    void this.#runStream(stream, message);
  }

  /** The client no longer wants the result, or more items. */
  cancel(invocationId: string): void {
    const waiting = this.#waiting.findIndex(({ message }) => message.invocationId === invocationId);
    if (waiting !== -1) {
      this.#takeWaiting(waiting);
      this.#complete(invocationId, { error: "The call was cancelled." });
      return;
    }
    const call = this.#open?.get(invocationId);
    if (call === undefined) return;
    if (call.isStream) this.#endStream(call, undefined);
    call.abort();
  }

  /** Aborts all calls, as the connection has ended. */
  end(): void {
    this.#isEnded = true;
    this.#waiting = [];
    const open = this.#open;
    this.#open = undefined;
    for (const call of open?.values() ?? []) call.abort();
  }

  #beginWaiting(): void {
    while (this.#running < this.#surroundings.settings.maxParallelCalls) {
      const next = this.#takeWaiting(0);
      if (next === undefined) return;
      this.#begin(next);
    }
  }

  #takeWaiting(index: number): InvocationMessage | undefined {
    const [taken] = this.#waiting.splice(index, 1);
    this.#waitingBytes -= taken?.byteLength ?? 0;
    return taken?.message;
  }

  #begin(message: InvocationMessage): void {
    const method = this.#surroundings.targets.method(message);
    if (typeof method !== "function") return this.#complete(message.invocationId, method);
    void this.#run(method, message);
  }

  async #run(method: Method<User>, { invocationId, target, args }: InvocationMessage): Promise<void> {
    const call = new RunningCall(this.#surroundings, invocationId ?? "", false);
    if (invocationId !== undefined) this.#openCalls.set(invocationId, call);
    this.#running++;
    let outcome: Outcome;
    try {
      outcome = { result: await method(call, ...args) };
    } catch (error) {
      outcome = { error: this.#told(error, target) };
    }
    this.#running--;
    if (this.#isEnded) return;
    if (invocationId !== undefined) this.#open?.delete(invocationId);
    this.#complete(invocationId, outcome, target);
    if (this.#waiting.length === 0) return;
    this.#beginWaiting();
    this.#surroundings.proceed();
  }

  async #runStream(stream: Stream<User>, message: StreamInvocationMessage): Promise<void> {
    const { invocationId, target, args } = message;
    const call = new RunningCall(this.#surroundings, invocationId, true);
    this.#openCalls.set(invocationId, call);
    this.#streams++;
    let outcome: Outcome | undefined;
    try {
      const items = await stream(call, ...args);
      if (items !== undefined) await pump(items, call);
    } catch (error) {
      if (!call.isOver) outcome = { error: this.#told(error, target) };
    }
    this.#streams--;
    this.#endStream(call, outcome);
  }

  /** Tells the client that a stream is over. Its function may still have to notice, and keeps its place until then. */
  #endStream(call: RunningCall<User>, outcome: Outcome | undefined): void {
    if (call.isOver) return;
    call.isOver = true;
    if (this.#isEnded) return;
    this.#open?.delete(call.invocationId);
    this.#surroundings.send(this.#surroundings.codec.completion(call.invocationId, outcome), false);
  }

  get #openCalls(): Map<string, RunningCall<User>> {
    return (this.#open ??= new Map());
  }

  #refuseReuse(invocationId: string | undefined): void {
    if (invocationId === undefined) return;
    const isWaiting = this.#waiting.some(({ message }) => message.invocationId === invocationId);
    if (isWaiting || this.#open?.has(invocationId)) throw new ProtocolError("an invocation id is used twice");
  }

  #complete(invocationId: string | undefined, outcome: Outcome, target = ""): void {
    if (invocationId === undefined) return;
    const { codec } = this.#surroundings;
    let frame: Frame;
    try {
      frame = codec.completion(invocationId, outcome);
    } catch (error) {
      frame = codec.completion(invocationId, { error: this.#told(error, target) });
    }
    this.#surroundings.send(frame, true);
  }

  /** What a client may read of an error. The rest is for the owner of the hub. */
  #told(error: unknown, target: string): string {
    if (error instanceof HubError && error.message !== "") return error.message;
    this.#surroundings.report(error);
    return `An unexpected error occurred in '${target}'.`;
  }
}
