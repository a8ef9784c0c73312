import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/**
 * Has the requests of a connection answered one after the other, each when the answer before it is sent, and reads no
 * further ones meanwhile. Otherwise a client that sends many requests at once and reads nothing would have all of their
 * answers made, and kept for it.
 */
export function inTurn(listener: RequestListener): RequestListener {
  /** By connection with an answer under way, the requests behind it. */
  const lines = new WeakMap<Socket, (() => void)[]>();
  const next = (socket: Socket): void => {
    const waiting = lines.get(socket);
    const begin = socket.destroyed ? undefined : waiting?.shift();
    if (begin === undefined) return void lines.delete(socket);
    // The body of the last one may not be there yet.
    if (waiting?.length === 0) socket.resume();
    begin();
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    outgoing.once("close", () => next(socket));
    const waiting = lines.get(socket);
    if (waiting === undefined) {
      lines.set(socket, []);
      listener(incoming, outgoing);
    } else {
      waiting.push(() => listener(incoming, outgoing));
      // The parser reads on when it has all of a request, so it is stopped after that.
      setImmediate(() => {
        if (waiting.length > 0) socket.pause();
      });
    }
  };
}
