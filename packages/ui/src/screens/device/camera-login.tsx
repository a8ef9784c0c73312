import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import { credentialsFor } from "../../api/pairing.ts";
import { CameraLoginFields } from "../../parts/camera-login-fields.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { change, reasonOf } from "../../store/commands.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";

/** With which login the hub asks a camera. It opens by itself when the camera refuses the present one. */
export function CameraLogin({ device }: { readonly device: Device }): JSX.Element {
  const { id, name, state } = device;
  const { username: known } = device as Device & { readonly username?: unknown };
  const username = useSignal(typeof known === "string" ? known : "");
  const password = useSignal("");
  const fault = useSignal("");
  const problem = useSignal("");
  const isOpen = useSignal(false);
  const isRefused = state["connectionState"] === "CREDENTIALS";
  useEffect(() => {
    if (isRefused) isOpen.value = true;
  }, [isRefused]);
  const save = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    fault.value = username.value.trim() === "" ? t("login.missing") : "";
    problem.value = "";
    if (fault.value !== "") return;
    const answer = await credentialsFor(id, username.value, password.value);
    if (!answer.ok) problem.value = reasonOf(answer);
    else if (answer.value.credentialStatus !== "OK") problem.value = t("camera.loginWrong");
    else {
      password.value = "";
      await change(Promise.resolve(answer), t("camera.loginSet", { name }));
    }
  };
  return (
    <details class="card" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t("camera.login")}</summary>
      <form onSubmit={(event) => void save(event)} noValidate>
        <CameraLoginFields id="login" username={username} password={password} fault={fault.value} />
        <Problem>{problem.value}</Problem>
        <LiveButton>{t("save")}</LiveButton>
      </form>
    </details>
  );
}
