import Type from "typebox";

const strict = { additionalProperties: false } as const;

/** Sizes of partitions (MiB): room for a slot's kernel, for its root file system, least for data. */
const Partitions = Type.Object(
  {
    bootMebibytes: Type.Integer({ minimum: 32, maximum: 1024 }),
    rootMebibytes: Type.Integer({ minimum: 128, maximum: 2048 }),
    dataMebibytes: Type.Integer({ minimum: 64, maximum: 1_048_576 }),
  },
  strict,
);

/** How a disk image for a board is made. Boards that run a Debian of their own have none. */
const Image = Type.Object(
  {
    /** The release of Debian that the root file system comes from. */
    debian: Type.Enum(["trixie"]),
    /** Where the kernel comes from, and its package there. */
    kernel: Type.Object(
      { source: Type.Enum(["debian", "raspberry-pi"]), package: Type.String({ pattern: "^[a-z0-9.+-]+$" }) },
      strict,
    ),
    /** Packages with firmware for the boot chain, the network and the radios. */
    firmware: Type.Array(Type.String({ pattern: "^[a-z0-9.+-]+$" })),
    /**
     * What chooses a slot and starts its kernel. `u-boot`: U-Boot, by `systemd/ledge-boot.cmd`. `tryboot`: Raspberry
     * Pi's own firmware, by `autoboot.txt`; only Raspberry Pi's kernel can ask it for a try.
     */
    boot: Type.Enum(["tryboot", "u-boot"]),
    /** U-Boot's build, a folder of Debian's packages of it. */
    uBoot: Type.Optional(Type.String({ pattern: "^[a-z0-9_]+$" })),
    /** The kernel's consoles. The last one shows the setup code. */
    consoles: Type.Array(Type.String({ pattern: "^tty[A-Za-z0-9,]+$" }), { minItems: 1 }),
    /** Whether the image joins the Wi-Fi network that `wifi.txt` names. */
    wifi: Type.Optional(Type.Boolean()),
    partitions: Partitions,
  },
  strict,
);
export type Image = Type.Static<typeof Image>;

/** The machine that a profile is for. The hub itself reads nothing of it: packages and images are made by it. */
export const Board = Type.Object(
  {
    /** Debian's name of the architecture. */
    architecture: Type.Enum(["amd64", "arm64"]),
    /** The machines that it suits. `verified`: somebody ran a release on one. */
    machines: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1 }),
          /** The device tree's file, below the kernel's folder of them. */
          deviceTree: Type.Optional(Type.String({ pattern: "^[a-z0-9/-]+\\.dtb$" })),
          verified: Type.Boolean(),
        },
        strict,
      ),
      { minItems: 1 },
    ),
    /** Serial ports on the board itself. Sticks are found by themselves. */
    serialPorts: Type.Array(
      Type.Object(
        {
          path: Type.String({ pattern: "^/dev/[A-Za-z0-9/]+$" }),
          use: Type.Enum(["console", "radio", "bus"]),
        },
        strict,
      ),
    ),
    memory: Type.Object(
      {
        /** Least memory of the machine (MiB). */
        machineMebibytes: Type.Integer({ minimum: 384 }),
        /** Memory that the hub and its adapters may use together (MiB) before systemd ends them. */
        hubMebibytes: Type.Integer({ minimum: 256 }),
      },
      strict,
    ),
    /** The hardware watchdog: its driver, which is loaded early, and its limit in seconds; null for none. */
    watchdog: Type.Union([
      Type.Object(
        {
          module: Type.String({ pattern: "^[a-z0-9_]+$" }),
          seconds: Type.Integer({ minimum: 10, maximum: 120 }),
        },
        strict,
      ),
      Type.Null(),
    ]),
    image: Type.Optional(Image),
  },
  strict,
);
export type Board = Type.Static<typeof Board>;
