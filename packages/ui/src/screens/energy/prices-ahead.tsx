import type { JSX } from "preact";
import { knownPrices } from "../../api/energy.ts";
import { dayIn, hourIn, moneyOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { hrefOf } from "../../route.ts";
import { now } from "../../store/clock.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { zone } from "../../zone.ts";
import { cheapest, hoursFrom } from "./prices.ts";

const inARow = 3;
const hourMs = 3_600_000;

/** What energy will cost, today and, as soon as the hub knows it, tomorrow; nothing where it knows no price. */
export function PricesAhead(): JSX.Element | null {
  const hour = Math.floor(now.value / hourMs);
  const { asked } = useAnswer(knownPrices, String(hour));
  const found = asked.value.state === "done" ? asked.value.value : null;
  const hours = found === null ? [] : hoursFrom(found.slots, hour * hourMs);
  if (found === null || hours.length === 0) return null;
  const timeZone = zone.value ?? "UTC";
  const most = Math.max(...hours.map(({ price }) => price));
  const best = cheapest(hours, inARow);
  const isBest = (start: number): boolean => best !== undefined && start >= best.start && start < best.end;
  const timeOf = (at: number): string => `${dayIn(at, timeZone)} ${hourIn(at, timeZone)}`;
  return (
    <section class="card" aria-labelledby="energy-ahead">
      <h2 id="energy-ahead">{t("energy.ahead")}</h2>
      {best && <p>{t("energy.cheapest", { from: timeOf(best.start), to: hourIn(best.end, timeZone) })}</p>}
      {isAtLeast("IDENTIFIED_USER") && (
        <a class="button" href={hrefOf("rule", null, { type: "SPOT_CHEAPEST" })}>
          {t("energy.plan")}
        </a>
      )}
      <ul class="plain energy" aria-label={t("energy.ahead")}>
        {hours.map(({ start, price }) => (
          <li key={start} class="energy-row">
            <span class="energy-name">{timeOf(start)}</span>
            <span class="energy-bar" aria-hidden="true">
              <span style={{ width: `${most > 0 ? Math.max(0, (price / most) * 100) : 0}%` }} />
            </span>
            <span class="energy-value">
              {isBest(start)
                ? t("energy.cheapHour", { price: moneyOf(price, found.currency) })
                : moneyOf(price, found.currency)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
