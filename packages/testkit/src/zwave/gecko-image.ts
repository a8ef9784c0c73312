/** What an image of the Gecko bootloader (GBL) begins with. */
const magic = Uint8Array.of(0xeb, 0x17, 0xa6, 0x03);

/** Returns an image of that many bytes. Its version follows the mark of the format, and a zero ends it. */
export function firmwareImage(version: string, bytes: number = 400): Uint8Array {
  const image = Buffer.alloc(bytes, 0x5a);
  image.set(magic);
  image.write(`${version}\0`, magic.length);
  return image;
}

/** Returns whether some bytes begin as an image does. */
export function isGeckoImage(bytes: ArrayLike<number>): boolean {
  return magic.every((each, index) => bytes[index] === each);
}

/** Returns the version of what `firmwareImage` has made. */
export function versionIn(image: Uint8Array): string {
  return Buffer.from(image.subarray(magic.length, image.indexOf(0, magic.length))).toString();
}
