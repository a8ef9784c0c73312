import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** A USB stick with one serial port. */
export interface TestStick {
  /** Such as `ttyUSB0`. */
  readonly tty: string;
  readonly vendorId: string;
  readonly productId: string;
  readonly manufacturer?: string;
  readonly product?: string;
  readonly serial?: string;
  readonly interfaceNumber?: number;
  readonly driver?: string;
}

/** The serial ports in /dev and /sys of a machine, in a temporary folder. The layout is that of Linux and udev. */
export class TestMachine {
  readonly root: string;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "ledge-machine-")));
    this.folder("dev");
    this.folder("sys/class/tty");
    this.folder("sys/devices/virtual/tty/tty0");
    this.link("sys/class/tty/tty0", "sys/devices/virtual/tty/tty0");
    this.file("dev/tty0");
  }

  /** Plugs a stick in: first the kernel's part, then udev's links. */
  plug(stick: TestStick): void {
    const { tty, vendorId, productId, interfaceNumber = 0 } = stick;
    const usb = `sys/devices/usb1/${tty}-1`;
    const [number, port] = [
      interfaceNumber.toString(16).padStart(2, "0"),
      `${usb}/1.${interfaceNumber}/${tty}`,
    ];
    for (const [name, text] of Object.entries({
      idVendor: vendorId,
      idProduct: productId,
      manufacturer: stick.manufacturer,
      product: stick.product,
      serial: stick.serial,
    }))
      if (text !== undefined) this.file(`${usb}/${name}`, `${text}\n`);
    this.file(`${usb}/1.${interfaceNumber}/bInterfaceNumber`, `${number}\n`);
    this.folder(`${port}/tty/${tty}`);
    this.link(`${port}/tty/${tty}/device`, port);
    const driver = `sys/bus/drivers/${stick.driver ?? "cp210x"}`;
    this.folder(driver);
    this.link(`${port}/driver`, driver);
    this.link(`sys/class/tty/${tty}`, `${port}/tty/${tty}`);
    this.file(`dev/${tty}`);
    this.link(`dev/serial/by-path/pci-0000:00-usb-0:${tty}:1.${interfaceNumber}-port0`, `dev/${tty}`);
    this.link(`dev/serial/by-id/${byIdOf(stick)}`, `dev/${tty}`);
  }

  /** Pulls a stick out. When it was the last one, udev's folders disappear too. */
  unplug({ tty, ...stick }: TestStick): void {
    for (const gone of [
      `dev/serial/by-id/${byIdOf({ tty, ...stick })}`,
      `dev/${tty}`,
      `sys/class/tty/${tty}`,
    ])
      rmSync(this.path(gone), { force: true });
    for (const name of this.#names("dev/serial/by-path"))
      if (name.includes(tty)) rmSync(this.path(`dev/serial/by-path/${name}`));
    rmSync(this.path(`sys/devices/usb1/${tty}-1`), { recursive: true, force: true });
    if (this.#names("dev/serial/by-id").length === 0)
      rmSync(this.path("dev/serial"), { recursive: true, force: true });
  }

  /**
   * Adds a UART of the board.
   * @param type as the kernel numbers them; 0 means that there is no UART
   */
  uart(tty: string, driver: string, type: number): void {
    const device = `sys/devices/platform/${tty}-uart`;
    this.folder(`${device}/tty/${tty}`);
    this.link(`${device}/tty/${tty}/device`, device);
    this.file(`${device}/tty/${tty}/type`, `${type}\n`);
    this.folder(`sys/bus/drivers/${driver}`);
    this.link(`${device}/driver`, `sys/bus/drivers/${driver}`);
    this.link(`sys/class/tty/${tty}`, `${device}/tty/${tty}`);
    this.file(`dev/${tty}`);
  }

  path(below: string): string {
    return join(this.root, below);
  }

  /** Returns the path under which a stick is opened. */
  portOf(stick: TestStick): string {
    return this.path(`dev/serial/by-id/${byIdOf(stick)}`);
  }

  folder(below: string): void {
    mkdirSync(this.path(below), { recursive: true });
  }

  file(below: string, text = ""): void {
    this.folder(dirname(below));
    writeFileSync(this.path(below), text);
  }

  /** Creates a relative link, like all links in /dev and /sys. */
  link(from: string, to: string): void {
    this.folder(dirname(from));
    rmSync(this.path(from), { force: true });
    symlinkSync(relative(dirname(from), to), this.path(from));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #names(below: string): readonly string[] {
    return existsSync(this.path(below)) ? readdirSync(this.path(below)) : [];
  }
}

/** Returns udev's name of the port in /dev/serial/by-id. */
function byIdOf({
  vendorId,
  productId,
  manufacturer = vendorId,
  product = productId,
  ...stick
}: TestStick): string {
  const parts = [manufacturer, product, ...(stick.serial === undefined ? [] : [stick.serial])];
  const number = (stick.interfaceNumber ?? 0).toString(16).padStart(2, "0");
  const port = stick.tty.startsWith("ttyUSB") ? "-port0" : "";
  return `usb-${parts.join("_").replaceAll(" ", "_")}-if${number}${port}`;
}

/** Sticks that tests plug in. */
export const sticks = {
  dongleP: {
    tty: "ttyUSB0",
    vendorId: "10c4",
    productId: "ea60",
    manufacturer: "ITead",
    product: "Sonoff Zigbee 3.0 USB Dongle Plus",
    serial: "b8b49abd27a6ed11a280eba32981d111",
  },
  conbee: {
    tty: "ttyACM0",
    vendorId: "1cf1",
    productId: "0030",
    manufacturer: "dresden elektronik ingenieurtechnik GmbH",
    product: "ConBee II",
    serial: "DE2132111",
    driver: "cdc_acm",
  },
  zwave: { tty: "ttyACM1", vendorId: "0658", productId: "0200", driver: "cdc_acm" },
  /** Of an unknown kind. */
  adapter: {
    tty: "ttyUSB1",
    vendorId: "0403",
    productId: "6001",
    manufacturer: "FTDI",
    product: "FT232R USB UART",
    serial: "A50285BI",
    driver: "ftdi_sio",
  },
} as const satisfies Readonly<Record<string, TestStick>>;
