/** The head of an OTA upgrade file (ZCL 11.4.2). */
export interface ImageHead {
  readonly manufacturerCode: number;
  readonly imageType: number;
  readonly fileVersion: number;
  /** The size of the image with its head. */
  readonly size: number;
  /** The offset of the image in the file: some makers wrap it. */
  readonly begin: number;
  /** The hardware versions that it fits; any when absent. */
  readonly hardware?: { readonly least: number; readonly most: number };
}

const magic = Buffer.from([0x1e, 0xf1, 0xee, 0x0b]);
const fixedBytes = 56;
const elementHeadBytes = 6;
/** Tag of a Telink element, whose head is two bytes longer. */
const telinkTag = 0xf000;

const flags = { securityVersion: 1, destination: 2, hardware: 4 } as const;

/**
 * Reads the head of a file.
 * @param bytes the start of the file; some kilobytes are enough.
 * @param fileBytes the size of the file.
 * @throws Error that says what is wrong with it.
 */
export function readHead(bytes: Buffer, fileBytes: number): ImageHead {
  const begin = bytes.indexOf(magic);
  if (begin === -1) throw new Error("it is not an upgrade file");
  const head = bytes.subarray(begin);
  if (head.length < fixedBytes) throw new Error("it is truncated");
  const length = head.readUInt16LE(6);
  const control = head.readUInt16LE(8);
  const size = head.readUInt32LE(52);
  const versions =
    fixedBytes + (control & flags.securityVersion ? 1 : 0) + (control & flags.destination ? 8 : 0);
  const end = versions + (control & flags.hardware ? 4 : 0);
  if (length < end || head.length < end || size < length) throw new Error("its head is damaged");
  if (size > fileBytes - begin) throw new Error(`it is truncated: ${fileBytes - begin} of ${size} bytes`);
  const hardware = { least: 0, most: 0xffff };
  if (control & flags.hardware) {
    hardware.least = head.readUInt16LE(versions);
    hardware.most = head.readUInt16LE(versions + 2);
  }
  return {
    manufacturerCode: head.readUInt16LE(10),
    imageType: head.readUInt16LE(12),
    fileVersion: head.readUInt32LE(14),
    size,
    begin,
    ...(control & flags.hardware && { hardware }),
  };
}

/**
 * Checks that a whole file is valid: its elements fill it exactly.
 * @throws Error that says what is wrong with it.
 */
export function checkImage(bytes: Buffer): ImageHead {
  const head = readHead(bytes, bytes.length);
  const file = bytes.subarray(head.begin, head.begin + head.size);
  let position = file.readUInt16LE(6);
  while (position < file.length) {
    if (position + elementHeadBytes > file.length) throw new Error("its last element is truncated");
    const extra = file.readUInt16LE(position) === telinkTag ? 2 : 0;
    position += elementHeadBytes + extra + file.readUInt32LE(position + 2);
  }
  if (position !== file.length) throw new Error("its elements do not fill it");
  return head;
}

/** What a device reports about its firmware when it asks for an image (Query Next Image Request). */
export interface Running {
  readonly manufacturerCode: number;
  readonly imageType: number;
  readonly fileVersion: number;
  readonly hardwareVersion?: number;
}

/** Whether an image is made for a device, and of another version than its firmware. */
export function isFor(image: ImageHead, running: Running): boolean {
  const { manufacturerCode, imageType, fileVersion, hardwareVersion } = running;
  const isKind = image.manufacturerCode === manufacturerCode && image.imageType === imageType;
  if (!isKind || image.fileVersion === fileVersion) return false;
  if (image.hardware === undefined || hardwareVersion === undefined) return true;
  return hardwareVersion >= image.hardware.least && hardwareVersion <= image.hardware.most;
}

/** Whether an image is made for a device, and newer than its firmware. */
export function isNewerFor(image: ImageHead, running: Running): boolean {
  return image.fileVersion > running.fileVersion && isFor(image, running);
}

/** Formats a file version. */
export function versionText(fileVersion: number): string {
  return `0x${fileVersion.toString(16).padStart(8, "0")}`;
}
