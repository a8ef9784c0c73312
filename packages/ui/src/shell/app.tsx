import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { isOfCloud } from "../browser.ts";
import { momentOf, weekClockOf } from "../format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Loading } from "../parts/faces.tsx";
import { Toasts } from "../parts/toasts.tsx";
import { hrefOf, route, routeOf } from "../route.ts";
import { pastTime } from "../store/clock.ts";
import { entry, home, hub, sync } from "../store/home.ts";
import { panel } from "../store/panel.ts";
import { backToNow } from "../store/past.ts";
import { type Key, languageNow, t } from "../texts/texts.ts";
import { CloudLogin } from "./cloud-login.tsx";
import { Login } from "./login.tsx";
import { isScreen, screenOf } from "./screens.ts";

const places: readonly (readonly [screen: string, text: Key, icon: IconName])[] = [
  ["home", "nav.home", "home"],
  ["devices", "nav.devices", "devices"],
  ["rules", "nav.rules", "rules"],
  ["timeline", "nav.timeline", "time"],
  ["more", "nav.more", "more"],
];

/** Screens that belong to another. */
const within: ReadonlyMap<string, string> = new Map([
  ["device", "devices"],
  ["pair", "devices"],
  ["rule", "rules"],
  ["custom", "rules"],
  ["scenes", "more"],
  ["scene", "more"],
  ["group", "more"],
  ["panel", "more"],
]);

function Navigation(): JSX.Element {
  const { screen } = route.value;
  const current = within.get(screen) ?? screen;
  return (
    <nav class="nav" aria-label={t("nav.label")}>
      {places.map(([name, text, icon]) => (
        <a key={name} href={hrefOf(name)} aria-current={current === name ? "page" : undefined}>
          <Icon name={icon} />
          <span>{t(text)}</span>
        </a>
      ))}
    </nav>
  );
}

/** Above every screen while the page shows the past. */
function PastBar(): JSX.Element {
  const at = pastTime.value ?? 0;
  return (
    <div class="past-bar" role="status">
      <a href={hrefOf("timeline")}>
        <time dateTime={new Date(at).toISOString()} title={momentOf(at)}>
          {weekClockOf(at)}
        </time>
      </a>
      <span>{t("past.readOnly")}</span>
      <button type="button" class="button" onClick={backToNow}>
        {t("past.back")}
      </button>
    </div>
  );
}

/** Whether what the page shows is true now. */
function ConnectionLine(): JSX.Element {
  const connection = sync.connection.value;
  const isOffline = connection === "offline" && home.isTold.value;
  return (
    <p class={isOffline ? "connection offline" : "connection"} role="status">
      {isOffline
        ? t("state.offline", { time: momentOf(home.asOf.value) })
        : t(connection === "live" ? "state.live" : "state.starting")}
    </p>
  );
}

function Missing(): JSX.Element {
  return <h1 tabIndex={-1}>{t("error.missing")}</h1>;
}

function Content(): JSX.Element {
  const { screen } = route.value;
  if (!isScreen(screen)) return <Missing />;
  const View = screenOf(screen).value;
  return View === undefined ? <Loading /> : <View />;
}

function Frame(): JSX.Element {
  const isStale = sync.connection.value === "offline";
  return (
    <>
      <a class="skip" href="#content" onClick={toContent}>
        {t("nav.skip")}
      </a>
      <header class="top">
        <p class="hub-name">{hub.value?.name ?? ""}</p>
        {pastTime.value === null ? <ConnectionLine /> : <PastBar />}
      </header>
      <Navigation />
      <main id="content" class={isStale ? "content stale" : "content"} tabIndex={-1}>
        <Content />
      </main>
      <Toasts />
    </>
  );
}

/** The whole screen of a browser that is a panel. */
function PanelFrame(): JSX.Element {
  const View = screenOf("panel").value;
  return (
    <>
      <main id="content" class={sync.connection.value === "offline" ? "panel stale" : "panel"} tabIndex={-1}>
        {View === undefined ? <Loading /> : <View />}
      </main>
      <Toasts />
    </>
  );
}

function isPanel(): boolean {
  const { screen, id } = route.value;
  return panel.value !== null || (screen === "panel" && id !== null);
}

function toContent(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content")?.focus();
}

/** The whole page. */
export function App(): JSX.Element {
  useEffect(() => {
    const follow = (): void => {
      route.value = routeOf(location.hash);
      document.querySelector<HTMLElement>("#content")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    };
    route.value = routeOf(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useSignalEffect(() => {
    languageNow();
    document.title = hub.value?.name ?? document.title;
  });
  const refused = sync.connection.value === "refused";
  if (entry.value === "opening") return <Loading />;
  if (entry.value === "in" && !refused) return isPanel() ? <PanelFrame /> : <Frame />;
  return (
    <>
      {refused && (
        <p class="banner" role="alert">
          {t("login.refused")}
        </p>
      )}
      {isOfCloud() ? <CloudLogin /> : <Login />}
    </>
  );
}
