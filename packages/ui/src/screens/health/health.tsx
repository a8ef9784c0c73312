import type { HubHealth } from "@ledge/model";
import { Fragment, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { health } from "../../api/system.ts";
import { copy } from "../../browser.ts";
import { bytesOf, momentOf, spanOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { Since } from "../../parts/since.tsx";
import { pastTime } from "../../store/clock.ts";
import { notify } from "../../store/notices.ts";
import { isKey, t } from "../../texts/texts.ts";
import { AuditCard } from "./audit.tsx";
import { LogCard } from "./log.tsx";
import { reportOf } from "./report.ts";

function wordOf(state: string): string {
  const key = `fares.${state}`;
  return isKey(key) ? t(key) : state;
}

function Troubles({ of }: { readonly of: HubHealth["troubles"] }): JSX.Element {
  if (of.length === 0) return <Empty title={t("health.well")} />;
  return (
    <ul class="plain">
      {of.map(({ code, of: about, level, text, remedy, reason }) => (
        <li key={`${code} ${about}`} class={`card level-${level === "error" ? "err" : "warn"}`}>
          <h2>{text}</h2>
          <p>{remedy}</p>
          {reason !== null && <p class="muted">{t("health.reason", { reason })}</p>}
        </li>
      ))}
    </ul>
  );
}

type Fact = readonly [name: string, value: string];

function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }): JSX.Element {
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function roomOf(used: number, most: number | null): string {
  return most === null ? bytesOf(used) : t("health.usedOf", { used: bytesOf(used), most: bytesOf(most) });
}

function Figures({ of }: { readonly of: HubHealth }): JSX.Element {
  const { adapters, radios, log, history, disk, memory, clock, cloud, https, release, upMs } = of;
  const unknown = t("value.unknown");
  return (
    <>
      {adapters.length > 0 && (
        <Facts
          title={t("health.adapters")}
          facts={[
            ...adapters.map(({ protocol, state }): Fact => [protocol, wordOf(state)]),
            ...radios.map(({ model, port, protocol, isThere }): Fact => [
              t("health.radio", { protocol }),
              isThere === false ? t("fares.gone") : (model ?? port),
            ]),
          ]}
        />
      )}
      <Facts
        title={t("health.records")}
        facts={[
          [t("health.log"), roomOf(log.usedBytes, log.quotaBytes)],
          [t("health.whole"), log.wholeSince === null ? t("health.always") : momentOf(log.wholeSince)],
          [t("health.history"), wordOf(history.state)],
          [t("health.disk"), disk === null ? unknown : t("health.free", { free: bytesOf(disk.freeBytes) })],
        ]}
      />
      <Facts
        title={t("health.machine")}
        facts={[
          [t("health.memory"), bytesOf(memory.processBytes)],
          [t("health.memoryFree"), bytesOf(memory.availableBytes)],
          [t("health.clock"), t(clock.trusted ? "fares.trusted" : "fares.untrusted")],
          [
            t("health.cloud"),
            t(cloud === null ? "fares.none" : cloud.connected ? "fares.linked" : "fares.away"),
          ],
          [
            t("health.https"),
            https.until === null ? t(https.served ? "fares.served" : "fares.off") : momentOf(https.until),
          ],
          [t("health.release"), release],
          [t("health.up"), spanOf(upMs)],
        ]}
      />
    </>
  );
}

/** A report for somebody who helps, to copy. */
function Report({ of }: { readonly of: HubHealth }): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const copied = (): void => {
    const isCopied = field.current !== null && copy(field.current);
    notify(t(isCopied ? "health.copied" : "health.copyYourself"), { isError: !isCopied });
  };
  const report = reportOf(of);
  return (
    <details class="card">
      <summary>{t("health.report")}</summary>
      <p>{t("health.reportHow")}</p>
      <textarea
        ref={field}
        readOnly
        aria-label={t("health.report")}
        rows={report.split("\n").length}
        value={report}
      />
      <button type="button" class="button" onClick={copied}>
        {t("health.copy")}
      </button>
    </details>
  );
}

function Present(): JSX.Element {
  const { asked, again } = useAnswer(health, "health");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(found) => (
        <>
          <div class="row">
            <p class="muted">
              {t("health.asked")} <Since at={found.at} />
            </p>
            <button type="button" class="button" onClick={again}>
              {t("health.again")}
            </button>
          </div>
          <Troubles of={found.troubles} />
          <Figures of={found} />
          <Report of={found} />
          <AuditCard />
          <LogCard />
        </>
      )}
    />
  );
}

/** How the hub itself fares: each trouble with its remedy, figures, and a report without names. */
export function HealthScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("health.title")}</h1>
      {pastTime.value === null ? <Present /> : <Empty title={t("health.onlyNow")} />}
    </>
  );
}
