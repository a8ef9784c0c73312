import type { UpgradeInfo } from "@ledge/model";
import type { JSX } from "preact";
import { cancelUpgrade, startUpgrade, upgradeInfo } from "../../api/upgrades.ts";
import { momentOf, percentOf, spanOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { AnswerFace } from "../../parts/faces.tsx";
import { firmwareText } from "../../parts/firmware-text.ts";
import { actionFor, lookAfterMs, versionOf } from "../../parts/firmware.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { change } from "../../store/commands.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";

const minuteMs = 60_000;

function Progress({ pctComplete, etaMs }: Pick<UpgradeInfo, "pctComplete" | "etaMs">): JSX.Element {
  const done = pctComplete === null ? undefined : pctComplete / 100;
  return (
    <p class="row">
      <progress aria-label={t("firmware.progress")} max={1} value={done} />
      {done !== undefined && <span>{percentOf(done)}</span>}
      {etaMs !== null && etaMs >= minuteMs && (
        <span class="muted">{t("firmware.left", { time: spanOf(etaMs) })}</span>
      )}
    </p>
  );
}

function Shown(props: {
  readonly info: UpgradeInfo;
  readonly name: string;
  readonly again: () => void;
}): JSX.Element {
  const { info, name, again } = props;
  const { id, status, lastUpgrade, autoInstall } = info;
  const action = isAtLeast("USER_ADMIN") ? actionFor(info) : null;
  const cancel = async (): Promise<void> => {
    await change(cancelUpgrade(id), t("firmware.cancelled", { name }));
    again();
  };
  const install = async (): Promise<void> => {
    await change(startUpgrade(id), t("firmware.started", { name }));
    again();
  };
  const isBad = status === "FAILED" || status === "REFUSED";
  return (
    <>
      <p role="status" class={isBad ? "problem" : undefined}>
        {firmwareText(info)}
      </p>
      {status === "INSTALLING" && <Progress {...info} />}
      <dl class="facts">
        <dt>{t("firmware.version")}</dt>
        <dd>{versionOf(info) ?? t("value.unknown")}</dd>
        {lastUpgrade > 0 && (
          <>
            <dt>{t("firmware.last")}</dt>
            <dd>{momentOf(lastUpgrade)}</dd>
          </>
        )}
      </dl>
      {autoInstall && <p class="muted">{t("firmware.byItself")}</p>}
      {action === "cancel" && <LiveButton onClick={() => void cancel()}>{t("firmware.cancel")}</LiveButton>}
      {(action === "install" || action === "again") && (
        <AskedTwice
          key={status}
          text={t(`firmware.${action}`)}
          question={t("firmware.installQuestion")}
          yes={t("firmware.install")}
          no={t("firmware.leave")}
          act={install}
        />
      )}
    </>
  );
}

/** Which firmware a device runs, which newer one there is, and how its installation goes. */
export function Firmware({ device: { id, name } }: { readonly device: Device }): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => upgradeInfo(id, signal),
    id,
    (now) => (now.state === "done" ? lookAfterMs(now.value) : null),
  );
  return (
    <section class="card" aria-labelledby="firmware-title">
      <h2 id="firmware-title">{t("firmware.title")}</h2>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(info) => <Shown info={info} name={name} again={again} />}
      />
    </section>
  );
}
