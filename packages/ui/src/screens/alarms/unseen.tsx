import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { notifications, type Notification } from "../../api/system.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { alarmText } from "../../parts/open-alarms.ts";
import { Since } from "../../parts/since.tsx";
import { nameOfUser } from "../../parts/user-options.tsx";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { devicesOf } from "./unseen.ts";

/** What an alarm or an alert says; empty once it is gone. */
function textOf({ category, id }: Notification): string {
  if (category === "alert") return home.of.alerts.of(id).value?.message ?? "";
  const alarm = home.of.alarms.of(id).value;
  return alarm === undefined ? "" : `${alarmText(alarm.title)} ${alarm.name}`;
}

function Row({ of }: { readonly of: Notification }): JSX.Element {
  return (
    <li>
      <p>
        <strong>{textOf(of)}</strong>{" "}
        <span class="muted">
          <Since at={of.raisedAt} />
        </span>
      </p>
      <p>
        {devicesOf(of)
          .map(([user, n]) => t("unseen.by", { name: nameOfUser(user), n }))
          .join(", ")}
      </p>
    </li>
  );
}

function Asked(): JSX.Element {
  const { asked, again } = useAnswer(notifications, "unseen");
  return (
    <AnswerFace
      answer={asked.value}
      again={again}
      show={(all) => {
        const unseen = all.filter((one) => one.clients.length > 0 && textOf(one) !== "");
        if (unseen.length === 0) return <p>{t("unseen.none")}</p>;
        return (
          <ul class="plain">
            {unseen.map((one) => (
              <Row key={`${one.category} ${one.id}`} of={one} />
            ))}
          </ul>
        );
      }}
    />
  );
}

/** What is open, and whose phones and tablets have not shown it yet; for those who look after people. */
export function Unseen(): JSX.Element | null {
  const isOpen = useSignal(false);
  if (!isAtLeast("USER_ADMIN")) return null;
  return (
    <details class="card" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("unseen.title")}</summary>
      {isOpen.value && <Asked />}
    </details>
  );
}
