import type { JSX } from "preact";
import { Since } from "../../parts/since.tsx";
import { hrefOf } from "../../route.ts";
import { home } from "../../store/home.ts";
import type { Alert } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { sourceOf } from "./source-of.ts";

function Row({ alert }: { readonly alert: Alert }): JSX.Element {
  const { sourceId, message, error, realtime_ms: at } = alert;
  // Of a key or a request the hub says the name in the message alone.
  const { name, screen } = sourceOf(sourceId, "");
  return (
    <li class={error ? "card level-warn" : "card"}>
      <p>{message}</p>
      <p class="muted">
        <Since at={at} />
      </p>
      {screen && name !== "" && (
        <a class="button quiet" href={hrefOf(screen.screen, screen.id)}>
          {t("home.open", { name })}
        </a>
      )}
    </li>
  );
}

const shown = 30;

/** What the hub says to the user for as long as it holds, a week at most; nobody closes it. */
export function Notices(): JSX.Element | null {
  const { alerts } = home.of;
  const all = alerts.list();
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="notices-title">
      <h2 id="notices-title">{t("alarms.notices")}</h2>
      <ul class="plain">
        {all
          .toSorted((a, b) => b.realtime_ms - a.realtime_ms)
          .slice(0, shown)
          .map((alert) => (
            <Row key={alert.id} alert={alert} />
          ))}
      </ul>
    </section>
  );
}
