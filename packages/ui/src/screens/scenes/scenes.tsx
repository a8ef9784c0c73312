import type { JSX } from "preact";
import { Denied } from "../../parts/denied.tsx";
import { Empty, Loading } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { hrefOf } from "../../route.ts";
import { turnScene } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

function SceneRow({ id }: { readonly id: string }): JSX.Element | null {
  const scene = home.of.scenes.of(id).value;
  if (scene === undefined) return null;
  const { name, isOn, category, presets } = scene;
  const targets = new Set(Object.values(presets).flatMap(({ targetIds }) => targetIds));
  return (
    <li class="tile">
      <a href={hrefOf("scene", id)}>
        <span class="tile-name">{name}</span>
        <span class="muted">{t("rooms.count", { n: targets.size })}</span>
      </a>
      <LiveButton
        role="switch"
        class="switch"
        aria-checked={isOn}
        aria-label={name}
        onClick={() => void turnScene(id, category === "FACTORY" || !isOn)}
      >
        <span class="knob" />
      </LiveButton>
    </li>
  );
}

function GroupRow({ id }: { readonly id: string }): JSX.Element | null {
  const group = home.of.groups.of(id).value;
  if (group === undefined) return null;
  return (
    <li class="tile">
      <a href={hrefOf("group", id)}>
        <span class="tile-name">{group.name}</span>
        <span class="muted">{t("rooms.count", { n: group.members.length })}</span>
      </a>
    </li>
  );
}

function Groups(): JSX.Element {
  const ids = home.of.groups.ids.value;
  return (
    <section aria-labelledby="groups-title">
      <h2 id="groups-title">{t("groups.title")}</h2>
      {home.isTold.value && ids.length === 0 && <p class="muted">{t("groups.none")}</p>}
      <ul class="tiles">
        {ids.map((id) => (
          <GroupRow key={id} id={id} />
        ))}
      </ul>
      <p>
        <a class="button" href={hrefOf("group")}>
          {t("groups.new")}
        </a>
      </p>
    </section>
  );
}

/** The scenes and groups of the home. */
export function Scenes(): JSX.Element {
  const ids = home.of.scenes.ids.value;
  if (!isAtLeast("IDENTIFIED_USER")) return <Denied title={t("scenes.title")} why={t("scenes.notYours")} />;
  return (
    <>
      <h1 tabIndex={-1}>{t("scenes.title")}</h1>
      {!home.isTold.value && <Loading />}
      {home.isTold.value && ids.length === 0 && <Empty title={t("scenes.none")} />}
      <ul class="tiles">
        {ids.map((id) => (
          <SceneRow key={id} id={id} />
        ))}
      </ul>
      <p>
        <a class="button main" href={hrefOf("scene")}>
          {t("scenes.new")}
        </a>
      </p>
      <Groups />
    </>
  );
}
