import type { Step } from "./verdict.ts";

/**
 * Called before the library changes a stick irreversibly.
 * @param holdsOther the stick holds a network with another extended PAN id than the wanted one.
 * @throws to prevent the step
 */
export type Permit = (step: Step, holdsOther: boolean) => void;

/** What the guards of a stick know about the network that it shall carry. */
export interface Guarded {
  readonly permit: Permit;
  /** The coordinator's frame counter according to the backup that the library has; 0 without one. */
  readonly sent: number;
  /** The coordinator's IEEE address, to which devices have bound their reports; undefined for a new network. */
  readonly address: string | undefined;
}

/** The stick must be opened once more, because it is being prepared for the network. */
export class NeedsReopening extends Error {
  override readonly name = "NeedsReopening";
}

/** Key of what guards know in the library's options, which the library passes from object to object. */
const guardedKey = Symbol("guarded");

/** The library's network options. */
export interface NetworkOptions {
  readonly panID: number;
  readonly extendedPanID: readonly number[];
}

/** Returns the library's network options with what the guards need added. */
export function withPermit<Options extends object>(
  options: Options,
  permit: Permit,
  sent = 0,
  address?: string,
): Options {
  const guarded: Guarded = { permit, sent, address };
  return { ...options, [guardedKey]: guarded };
}

/** Returns what `withPermit` has added. */
export function guardedOf(options: object): Guarded {
  const guarded = (options as { [guardedKey]?: Guarded })[guardedKey];
  if (guarded === undefined) throw new Error("the library has lost the options that it was given");
  return guarded;
}

/**
 * Wraps a method of the library.
 * @throws TypeError when the library's version is not the one that this code was written for
 */
export function around(
  prototype: object,
  name: string,
  call: (self: never, method: () => unknown) => unknown,
): void {
  const methods = prototype as Record<string, unknown>;
  const method = methods[name];
  if (typeof method !== "function") throw new TypeError(`zigbee-herdsman has no ${name} in this version`);
  methods[name] = function (this: unknown, ...args: unknown[]): unknown {
    return call(this as never, () => Reflect.apply(method, this, args) as unknown);
  };
}
