import type { AdapterClock } from "@ledge/port";
import type { InclusionGrant, InclusionUserCallbacks } from "zwave-js";
import { type SecurityClassName, securityNameOf, securityNamesOf } from "./security-class.ts";

/** A PIN: the first five digits of a device's key. */
export const pinPattern = /^\d{5}$/;

/**
 * How long a joining device waits for an answer of its user, ms: less than the 240 s after which the devices give up
 * (SDS13783, 3.1.5), so that it hears that nobody answers.
 */
const answeredWithinMs = 230_000;

/** What a joining device waits to be told. `dsk` is its key without the first five digits: those are the PIN on its label. */
export type Question =
  | { readonly asks: "pin"; readonly dsk: string }
  | { readonly asks: "keys"; readonly keys: readonly SecurityClassName[] };

/** Why a device got no answer: a user has refused, or nobody said anything in time. */
export type Unanswered = "refused" | "late";

type Answer = string | readonly SecurityClassName[] | false;

/**
 * The user's part in the key exchange of S2 (SDS13783, 3.1): which keys a device gets, and the PIN that proves that it
 * is the device at hand.
 */
export class KeyExchange {
  readonly #clock: AdapterClock;
  readonly #changed: () => void;
  /** The keys that a user allows; undefined: all that a device asks for. */
  #allowed: readonly SecurityClassName[] | undefined;
  #isAsked = false;
  #question: Question | undefined;
  #answer: (answer: Answer) => void = () => {};
  #unanswered: Unanswered | undefined;

  constructor(clock: AdapterClock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  get question(): Question | undefined {
    return this.#question;
  }

  /** Why the device that joined last got no answer; undefined when it got what it asked for. */
  get unanswered(): Unanswered | undefined {
    return this.#unanswered;
  }

  /**
   * @param names the keys that devices may get; undefined: all that they ask for
   * @param isAsked whether a user is asked which keys a device gets
   */
  allow(names: readonly SecurityClassName[] | undefined, isAsked: boolean): void {
    this.#allowed = names;
    this.#isAsked = isAsked;
  }

  readonly callbacks: InclusionUserCallbacks = {
    grantSecurityClasses: async (requested: InclusionGrant) => {
      const keys = securityNamesOf(requested.securityClasses).filter(
        (name) => this.#allowed?.includes(name) ?? true,
      );
      const granted = this.#isAsked ? await this.#ask({ asks: "keys", keys }) : keys;
      if (!Array.isArray(granted)) return false;
      if (granted.length === 0) this.#unanswered = "refused";
      const securityClasses = requested.securityClasses.filter((key) => {
        const name = securityNameOf(key);
        return name !== undefined && granted.includes(name);
      });
      return { securityClasses, clientSideAuth: false };
    },
    validateDSKAndEnterPIN: async (dsk: string) => {
      const pin = await this.#ask({ asks: "pin", dsk });
      return typeof pin === "string" && pin;
    },
    abort: () => this.refuse("late"),
  };

  /** A device begins to join. */
  begin(): void {
    this.#unanswered = undefined;
  }

  /** Passes the PIN on; false when no device waits for one or it is none. A wrong one the device refuses. */
  enter(pin: string): boolean {
    if (this.#question?.asks !== "pin" || !pinPattern.test(pin)) return false;
    this.#answer(pin);
    return true;
  }

  /** Grants keys, of those that the device asks for; false when no device asks. None: it joins without S2. */
  grant(names: readonly SecurityClassName[]): boolean {
    if (this.#question?.asks !== "keys") return false;
    this.#answer(names);
    return true;
  }

  /** Nobody answers: the device joins without S2. */
  refuse(why: Unanswered): void {
    if (this.#question === undefined) return;
    this.#unanswered = why;
    this.#answer(false);
  }

  async #ask(question: Question): Promise<Answer> {
    const cancel = this.#clock.after(answeredWithinMs, () => this.refuse("late"));
    const answer = await new Promise<Answer>((resolve) => {
      this.#question = question;
      this.#answer = resolve;
      this.#changed();
    });
    cancel();
    this.#question = undefined;
    this.#changed();
    return answer;
  }
}
