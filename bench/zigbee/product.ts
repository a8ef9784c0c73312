/** A program that runs a Zigbee network, as a bench sees it. */
export interface Product {
  readonly name: string;
  /** Starts its processes. Resolves when it takes commands. */
  start(): Promise<void>;
  /** Resolves when its network is up. */
  ready(): Promise<void>;
  stop(): Promise<void>;
  /** Removes its data, once it has stopped. */
  remove(): void;
  /** Lets all devices of its house join. Resolves when it knows them all. */
  pair(): Promise<void>;
  /** Makes a group and scenes of all lamps. */
  prepare(): Promise<void>;
  /** Gives a command to one lamp. Resolves when it is written, not when it is carried out. */
  one(lamp: number, isOn: boolean): void;
  /** Gives commands to all lamps, one each. */
  list(isOn: boolean): void;
  scene(isOn: boolean): void;
  group(isOn: boolean): void;
  /**
   * Calls back for each message of a motion sensor that it passes on, however soon the next one follows.
   * @returns a function that ends it
   */
  listen(heard: (sensor: string, isSeen: boolean) => void): Promise<() => void>;
  /** Its processes, with everything that they need. */
  pids(): readonly number[];
}
