import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { removeRule } from "../../api/rules.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Loading } from "../../parts/faces.tsx";
import { followsScenes } from "../../parts/follows-scenes.ts";
import { alarmText, openAlarms } from "../../parts/open-alarms.ts";
import { PutBack } from "../../parts/put-back.tsx";
import { RuleSwitch } from "../../parts/rule-switch.tsx";
import { WhyNot } from "../../parts/why-not.tsx";
import { hrefOf } from "../../route.ts";
import { remove } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { Proposals } from "./proposals.tsx";

function mayChange(): boolean {
  return isAtLeast("IDENTIFIED_USER");
}

function Row({ id }: { readonly id: string }): JSX.Element | null {
  const isAsked = useSignal(false);
  const rule = home.of.rules.of(id).value;
  if (rule === undefined) return null;
  const {
    is_on: isOn,
    config: { name },
  } = rule;
  const isBlocked = sync.connection.value !== "live";
  const faults = openAlarms().filter(({ sourceId }) => sourceId === id);
  const canChange = mayChange();
  return (
    <li class="card">
      <div class="row">
        <h2>{canChange ? <a href={hrefOf("rule", id)}>{name}</a> : name}</h2>
        <RuleSwitch rule={rule} />
      </div>
      <p class="muted">
        {t(isOn ? "value.on" : "value.off")}
        {followsScenes(rule) && `. ${t("on.follows")}`}
      </p>
      {faults.map((alarm) => (
        <p key={alarm.id} class="problem">
          {alarmText(alarm.message)}
        </p>
      ))}
      {canChange && (
        <div class="row">
          <PutBack kind="rule" id={id} name={name} label="past.putRule" />
          <button type="button" class="button" onClick={() => (isAsked.value = true)}>
            {t("rules.whyNot")} <span class="hidden">{name}</span>
          </button>
          <Button isBlocked={isBlocked} onClick={() => void remove("rules", id, name, removeRule(id))}>
            {t("rules.remove", { name })}
          </Button>
        </div>
      )}
      {isAsked.value && <WhyNot rule={rule} close={() => (isAsked.value = false)} />}
    </li>
  );
}

/** The rules of the home, and what others would fit it. */
export function Rules(): JSX.Element {
  const ids = home.of.rules.ids.value;
  return (
    <>
      <h1 tabIndex={-1}>{t("nav.rules")}</h1>
      <div class="row">
        {mayChange() && (
          <a class="button main" href={hrefOf("rule")}>
            {t("rules.new")}
          </a>
        )}
        {isAtLeast("USER_ADMIN") && (
          <a class="button" href={hrefOf("custom")}>
            {t("custom.title")}
          </a>
        )}
      </div>
      {!home.isTold.value && <Loading />}
      {home.isTold.value && ids.length === 0 && (
        <Empty title={t("rules.none")}>{mayChange() && <p>{t("rules.noneHow")}</p>}</Empty>
      )}
      <ul class="plain">
        {ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
      {mayChange() && <Proposals />}
    </>
  );
}
