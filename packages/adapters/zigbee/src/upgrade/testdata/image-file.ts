/** An OTA upgrade file with one element (ZCL 11.4.2). */
export function imageFile({
  fileVersion,
  manufacturerCode = 0x117c,
  imageType = 0x2101,
  hardware,
  payload = Buffer.from("firmware"),
}: {
  readonly fileVersion: number;
  readonly manufacturerCode?: number;
  readonly imageType?: number;
  readonly hardware?: { readonly least: number; readonly most: number };
  readonly payload?: Buffer;
}): Buffer {
  const head = Buffer.alloc(56 + (hardware ? 4 : 0));
  head.writeUInt32LE(0x0beef11e, 0);
  head.writeUInt16LE(0x0100, 4);
  head.writeUInt16LE(head.length, 6);
  head.writeUInt16LE(hardware ? 4 : 0, 8);
  head.writeUInt16LE(manufacturerCode, 10);
  head.writeUInt16LE(imageType, 12);
  head.writeUInt32LE(fileVersion, 14);
  head.writeUInt16LE(2, 18);
  head.write("a test image", 20, "latin1");
  head.writeUInt32LE(head.length + 6 + payload.length, 52);
  if (hardware) {
    head.writeUInt16LE(hardware.least, 56);
    head.writeUInt16LE(hardware.most, 58);
  }
  const element = Buffer.alloc(6);
  element.writeUInt16LE(0, 0);
  element.writeUInt32LE(payload.length, 2);
  return Buffer.concat([head, element, payload]);
}
