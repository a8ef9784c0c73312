import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { hrefOf } from "../route.ts";
import { t } from "../texts/texts.ts";
import { isLoopback } from "./loopback.ts";
import type { Drawn } from "./qr.ts";

/** The code to be let in, for the camera of somebody who is in: it opens People with the code filled in. */
export function Scan({ code }: { readonly code: string }): JSX.Element | null {
  const shown = useSignal<Drawn | null>(null);
  const { origin, hostname } = location;
  const link = `${origin}/${hrefOf("people", null, { code })}`;
  useEffect(() => {
    if (isLoopback(hostname)) return;
    // Without its code the page still shows the letters.
    void import("./qr.ts").then(
      ({ drawn }) => (shown.value = drawn(link)),
      () => undefined,
    );
  }, [link]);
  if (shown.value === null) return null;
  const { size, path } = shown.value;
  return (
    <figure>
      <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t("login.qr")}>
        <path d={path} />
      </svg>
      <figcaption>{t("login.scan")}</figcaption>
    </figure>
  );
}
