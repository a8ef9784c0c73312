import type { InclusionGrant, InclusionUserCallbacks } from "zwave-js";

/** The library's SecurityClass by name. */
const securityClass = {
  S2_Unauthenticated: 0,
  S2_Authenticated: 1,
  S2_AccessControl: 2,
  S0_Legacy: 7,
} as const;
export type SecurityClassName = keyof typeof securityClass;
export const securityClassNames = Object.keys(securityClass) as readonly SecurityClassName[];

/** A PIN: the first five digits of a device's key. */
export const pinPattern = /^\d{5}$/;

/** Returns the name of a key; undefined for one of no class. */
export function securityNameOf(key: number): SecurityClassName | undefined {
  return securityClassNames.find((name) => securityClass[name] === key);
}

/** What a joining device has asked for, and waits to be told. */
export interface PinQuestion {
  /** The device's key without its first five digits: those are the PIN on its label. */
  readonly dsk: string;
  readonly answer: (pin: string | false) => void;
}

/**
 * The user's part in the key exchange of S2 (SDS13783, 3.1): which keys a device gets, and the PIN that proves that it
 * is the device at hand.
 */
export class KeyExchange {
  readonly #changed: () => void;
  /** The keys that a user allows; undefined: all that a device asks for. */
  #allowed: readonly SecurityClassName[] | undefined;
  #question: PinQuestion | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get question(): PinQuestion | undefined {
    return this.#question;
  }

  allow(names: readonly SecurityClassName[] | undefined): void {
    this.#allowed = names;
  }

  readonly callbacks: InclusionUserCallbacks = {
    grantSecurityClasses: async (requested: InclusionGrant) => {
      const allowed = this.#allowed?.map((name): number => securityClass[name]);
      const securityClasses = requested.securityClasses.filter((key) => allowed?.includes(key) ?? true);
      return { securityClasses, clientSideAuth: false };
    },
    validateDSKAndEnterPIN: async (dsk: string) => {
      const pin = await new Promise<string | false>((answer) => {
        this.#question = { dsk, answer };
        this.#changed();
      });
      this.#question = undefined;
      this.#changed();
      return pin;
    },
    abort: () => this.refuse(),
  };

  /** Passes the PIN on; false when no device waits for one or it is none. A wrong one the device refuses. */
  enter(pin: string): boolean {
    if (this.#question === undefined || !pinPattern.test(pin)) return false;
    this.#question.answer(pin);
    return true;
  }

  /** Nobody gives the PIN: the device joins without S2. */
  refuse(): void {
    this.#question?.answer(false);
  }
}
