import type { JSX } from "preact";
import { messageTargets, type MessageTarget, removeTarget, testTarget } from "../../api/messages.ts";
import { AskedTwice } from "../../parts/asked-twice.tsx";
import { Empty } from "../../parts/faces.tsx";
import { FeatureFace } from "../../parts/feature-face.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { nameOfUser } from "../../parts/user-options.tsx";
import { change } from "../../store/commands.ts";
import { t } from "../../texts/texts.ts";
import { kindName, TargetEditor } from "./target-form.tsx";

function Target({ of, again }: { readonly of: MessageTarget; readonly again: () => void }): JSX.Element {
  const { id, name, kind, url, topic, user, alarms } = of;
  const remove = async (): Promise<void> => {
    await change(removeTarget(id), t("rules.removed", { name }));
    again();
  };
  return (
    <li class="card">
      <h2>{name}</h2>
      <dl class="facts">
        <dt>{t("messages.kind")}</dt>
        <dd>{`${kindName(kind)}, ${url}`}</dd>
        {topic !== null && (
          <>
            <dt>{t(kind === "matrix" ? "messages.room" : "messages.topic")}</dt>
            <dd>{topic}</dd>
          </>
        )}
        <dt>{t("messages.whose")}</dt>
        <dd>{nameOfUser(user) || t("value.unknown")}</dd>
        <dt>{t("messages.alarms")}</dt>
        <dd>{t(`alarmsFrom.${alarms}`)}</dd>
      </dl>
      <div class="row">
        <LiveButton onClick={() => void change(testTarget(id), t("messages.tested", { name }))}>
          {t("messages.test", { name })}
        </LiveButton>
      </div>
      <details>
        <summary>{t("messages.change", { name })}</summary>
        <TargetEditor target={of} saved={again} />
        <AskedTwice
          text={t("messages.remove", { name })}
          question={t("messages.removeHow")}
          yes={t("messages.removeNow")}
          no={t("messages.keep")}
          act={remove}
        />
      </details>
    </li>
  );
}

/** Servers that bring messages and alarms to phones. */
export function MessagesScreen(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("messages.title")}</h1>
      <p>{t("messages.how")}</p>
      <FeatureFace
        feature="PN_MESSAGING"
        ask={messageTargets}
        show={(targets, again) => (
          <>
            {Object.keys(targets).length === 0 ? (
              <Empty title={t("messages.none")} />
            ) : (
              <ul class="plain">
                {Object.values(targets).map((of) => (
                  <Target key={`${of.id} ${of.kind} ${of.url}`} of={of} again={again} />
                ))}
              </ul>
            )}
            <section class="card" aria-labelledby="target-title">
              <h2 id="target-title">{t("messages.new")}</h2>
              <TargetEditor saved={again} />
            </section>
          </>
        )}
      />
    </>
  );
}
