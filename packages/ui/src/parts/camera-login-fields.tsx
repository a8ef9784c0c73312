import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { t } from "../texts/texts.ts";
import { TextField } from "./text-field.tsx";

/** The fields of a camera's login. `fault`: what is wrong with the user name. */
export function CameraLoginFields(props: {
  readonly id: string;
  readonly username: Signal<string>;
  readonly password: Signal<string>;
  readonly fault: string;
}): JSX.Element {
  const { id, username, password, fault } = props;
  return (
    <>
      <TextField
        id={`${id}-user`}
        label={t("camera.username")}
        how={t("camera.loginHow")}
        value={username.value}
        fault={fault}
        put={(text) => (username.value = text)}
      />
      <TextField
        id={`${id}-password`}
        label={t("broker.password")}
        isSecret
        value={password.value}
        fault=""
        put={(text) => (password.value = text)}
      />
    </>
  );
}
