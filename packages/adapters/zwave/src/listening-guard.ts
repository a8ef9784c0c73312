import type { ZWaveController } from "zwave-js";

/** The method of the library's controllers that lets a stick listen. */
export interface Listening {
  enableSmartStart: () => Promise<boolean>;
}

const guarded = new WeakSet<object>();

/**
 * Lets the library ask a stick once to listen for SmartStart devices. When a stick cannot be asked, because its port has
 * gone or it is being reset, the library asks again at once, in the middle of the first call: it would do so for ever and
 * leave this process no time for anything else.
 * @param controllers the library's class; all controllers made of it are guarded
 */
export function guardListening(controllers: { readonly prototype: ZWaveController }): void {
  const prototype = controllers.prototype as unknown as Listening;
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const asked = new WeakSet<Listening>();
  const { enableSmartStart } = prototype;
  prototype.enableSmartStart = async function listen(this: Listening) {
    if (asked.has(this)) return false;
    asked.add(this);
    try {
      return await enableSmartStart.call(this);
    } finally {
      asked.delete(this);
    }
  };
}
