import type { ComponentChildren, JSX } from "preact";
import { turnScene } from "../store/commands.ts";
import { home } from "../store/home.ts";
import { mayUse } from "../store/roles.ts";
import { t } from "../texts/texts.ts";
import { LiveButton } from "./live-button.tsx";

/** Turns a scene on or off. */
function SceneButton({ id }: { readonly id: string }): JSX.Element | null {
  const scene = home.of.scenes.of(id).value;
  if (scene === undefined) return null;
  return (
    <LiveButton
      class="chip"
      aria-pressed={scene.isOn}
      onClick={() => void turnScene(id, scene.category === "FACTORY" || !scene.isOn)}
    >
      {scene.name}
    </LiveButton>
  );
}

/** The scenes of the home in a row, and what stands behind them; nothing without a scene, or for who may only look. */
export function SceneButtons({ children }: { readonly children?: ComponentChildren }): JSX.Element | null {
  const ids = home.of.scenes.ids.value;
  if (ids.length === 0 || !mayUse()) return null;
  return (
    <div class="chips" role="group" aria-label={t("home.scenes")}>
      {ids.map((id) => (
        <SceneButton key={id} id={id} />
      ))}
      {children}
    </div>
  );
}
