// Preloaded into a Zigbee adapter: stamps commands of the hub, and frames to devices on their way to the stick.
import { Socket } from "node:net";
import { stamp } from "./stamps.ts";

/** The start of a frame of Z-Stack, and the subsystem and commands of AF data requests to one device. */
const [start, af, toAddress, toAny] = [0xfe, 0x24, 1, 2];

type Write = (chunk: unknown, ...rest: unknown[]) => void;

interface Hooks {
  push: (chunk: Buffer | null, ...rest: unknown[]) => boolean;
  _write: Write;
}

const hooks = Socket.prototype as unknown as Hooks;
const { push, _write: write } = hooks;

hooks.push = function (this: Socket, chunk, ...rest) {
  if (chunk?.includes('"type":"send"') === true) stamp("received");
  return push.call(this, chunk, ...rest);
};

hooks._write = function (this: Socket, chunk, ...rest) {
  if (Buffer.isBuffer(chunk) && isRequest(chunk)) stamp("frame");
  return write.call(this, chunk, ...rest);
};

function isRequest(bytes: Buffer): boolean {
  return bytes[0] === start && bytes[2] === af && (bytes[3] === toAddress || bytes[3] === toAny);
}
