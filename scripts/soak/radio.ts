// A radio of the soak with its devices; docs/soak.md.
import type { Random } from "@ledge/testkit";

/** Makes a call to the hub's API and returns the answer's body. @throws when the answer is no 200 */
export type Call = (method: string, path: string, body?: unknown) => Promise<unknown>;

export interface SoakLamp {
  /** The hub's id of it. */
  readonly id: string;
  /** Whether it burns, whatever the hub knows. */
  readonly isOn: () => boolean;
}

export interface SoakRemote {
  readonly id: string;
  readonly press: () => void;
}

/** One kind of trouble. It is over when its promise resolves. */
export type Trouble = (random: Random) => Promise<void>;

export interface SoakRadio {
  readonly protocol: string;
  /** The settings of its adapter. */
  readonly settings: object;
  /** What befalls it, by name. */
  readonly troubles: Readonly<Record<string, Trouble>>;
  /** Pairs everything, half of it lamps and half remotes, over the API of a hub that has found the radio. */
  pair(call: Call): Promise<{ readonly lamps: readonly SoakLamp[]; readonly remotes: readonly SoakRemote[] }>;
  /** Whether the hub says that the radio works. */
  works(call: Call): Promise<boolean>;
  close(): Promise<void>;
}
