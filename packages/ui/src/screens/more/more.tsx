import type { JSX } from "preact";
import { isOfCloud } from "../../browser.ts";
import { LanguageField } from "../../parts/language-field.tsx";
import { isAtLeast } from "../../store/roles.ts";
import { t, type Key } from "../../texts/texts.ts";
import { choose, theme, themes } from "../../shell/theme.ts";
import { hrefOf } from "../../route.ts";
import { leaveCloud, leaveHub } from "../../store/cloud.ts";
import { home, hub, leave } from "../../store/home.ts";
import { Presence } from "./presence.tsx";

/** The screens that the bar of the page does not lead to, with the least role that they are for. */
const screens: readonly (readonly [screen: string, title: Key, least: Parameters<typeof isAtLeast>[0]])[] = [
  ["alarms", "alarms.title", "GUEST"],
  ["scenes", "scenes.title", "IDENTIFIED_USER"],
  ["people", "people.title", "GUEST"],
  ["energy", "energy.title", "IDENTIFIED_USER"],
  ["panel", "panel.title", "GUEST"],
  ["network", "network.title", "USER_ADMIN"],
  ["features", "features.title", "USER_ADMIN"],
  ["health", "health.title", "USER_ADMIN"],
  ["system", "system.title", "USER_ADMIN"],
];

function Leave(): JSX.Element {
  return (
    <section class="card">
      <p>{t("more.leaveHow")}</p>
      <button type="button" class="button" onClick={() => void leave()}>
        {t("more.leave")}
      </button>
    </section>
  );
}

function LeaveCloud(): JSX.Element {
  return (
    <section class="card">
      <button type="button" class="button" onClick={() => void leaveHub()}>
        {t("cloud.homes")}
      </button>
      <button type="button" class="button" onClick={() => void leaveCloud()}>
        {t("cloud.logOut")}
      </button>
    </section>
  );
}

/** What is set once, and the ways to the other screens. */
export function More(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("nav.more")}</h1>
      <nav aria-label={t("nav.more")}>
        <ul class="plain">
          {screens
            .filter(([, , least]) => isAtLeast(least))
            .map(([screen, title]) => (
              <li key={screen}>
                <a class="card link" href={hrefOf(screen)}>
                  {t(title)}
                </a>
              </li>
            ))}
        </ul>
      </nav>
      <section class="card">
        <LanguageField />
        <fieldset class="segments">
          <legend>{t("more.theme")}</legend>
          {themes.map((name) => (
            <label key={name}>
              <input type="radio" name="theme" checked={theme.value === name} onChange={() => choose(name)} />
              <span>{t(`theme.${name}`)}</span>
            </label>
          ))}
        </fieldset>
      </section>
      <Presence />
      <section class="card">
        <h2>{t("more.hub")}</h2>
        <dl class="facts">
          <dt>{t("device.name")}</dt>
          <dd>{hub.value?.name ?? t("value.unknown")}</dd>
          <dt>{t("more.version")}</dt>
          <dd>{hub.value?.version ?? t("value.unknown")}</dd>
          <dt>{t("nav.devices")}</dt>
          <dd>{home.of.devices.ids.value.length}</dd>
        </dl>
        {!isOfCloud() && (
          <>
            <p>{t("more.api")}</p>
            <p>
              <a href={hrefOf("api")}>{t("more.apidoc")}</a>
            </p>
          </>
        )}
      </section>
      {isOfCloud() ? <LeaveCloud /> : <Leave />}
    </>
  );
}
