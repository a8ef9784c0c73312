import { lazyValidator } from "@ledge/model";
import Type from "typebox";

const Id = Type.Union([
  Type.Integer({ minimum: 0, maximum: 0xffff }),
  Type.String({ pattern: "^0x[0-9a-fA-F]{1,4}$" }),
]);
const Version = Type.String({ pattern: "^\\d{1,5}(\\.\\d{1,5}){1,2}$" });

/** What the list says of a family of devices, in the format of the community's files (zwave-js/firmware-updates). */
const Listed = Type.Object({
  devices: Type.Array(
    Type.Object({
      manufacturerId: Id,
      productType: Id,
      productId: Id,
      firmwareVersion: Type.Optional(
        Type.Object({ min: Type.Optional(Version), max: Type.Optional(Version) }),
      ),
    }),
  ),
  upgrades: Type.Array(
    Type.Object({
      version: Version,
      files: Type.Array(
        Type.Object({
          target: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
          url: Type.String({ minLength: 1, maxLength: 4096 }),
          integrity: Type.Optional(Type.String({ pattern: "^sha256:[0-9a-fA-F]{64}$" })),
        }),
        { minItems: 1 },
      ),
    }),
  ),
});
export type Listed = Readonly<Type.Static<typeof Listed>>;
const validator = lazyValidator(Listed);

/** A model of device, and the firmware that it runs. */
export interface Running {
  readonly manufacturerId: number;
  readonly productType: number;
  readonly productId: number;
  readonly version: string;
}

/** An upgrade that fits, with its files by target. */
export type ListedUpgrade = Listed["upgrades"][number];

/**
 * Returns the entries of a list.
 * @throws Error that says what is wrong
 */
export function listedIn(text: string): readonly Listed[] {
  const list = JSON.parse(text) as unknown;
  if (!Array.isArray(list)) throw new Error("it is not a list");
  return list.map((entry, index) => {
    if (!validator.Check(entry))
      throw new Error(`entry ${index} has not the format of the community's files`);
    return entry;
  });
}

/** Returns the newest upgrade for a device that is newer than what it runs. */
export function newestFor(list: readonly Listed[], running: Running): ListedUpgrade | undefined {
  return list
    .filter(({ devices }) => devices.some((device) => isFor(device, running)))
    .flatMap(({ upgrades }) => upgrades)
    .filter(({ version }) => compareVersions(version, running.version) > 0)
    .toSorted((a, b) => compareVersions(b.version, a.version))[0];
}

/** Returns the order of two versions, such as 1.7 and 1.10. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  const at = [0, 1, 2].find((index) => (left?.[index] ?? 0) !== (right?.[index] ?? 0)) ?? 0;
  return (left?.[at] ?? 0) - (right?.[at] ?? 0);
}

function isFor(device: Listed["devices"][number], running: Running): boolean {
  const { min, max } = device.firmwareVersion ?? {};
  return (
    Number(device.manufacturerId) === running.manufacturerId &&
    Number(device.productType) === running.productType &&
    Number(device.productId) === running.productId &&
    (min === undefined || compareVersions(running.version, min) >= 0) &&
    (max === undefined || compareVersions(running.version, max) <= 0)
  );
}
