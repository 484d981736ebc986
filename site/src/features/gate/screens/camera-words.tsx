import type { CameraState } from "../camera/use-camera.ts";
import { Sign } from "../icons.tsx";

/** Over the picture: a frame for the code, or why there is no picture. */
export function CameraWords({ state, onRetry }: { state: CameraState; onRetry: () => void }) {
  if (state === "on") return <div className="gate-frame" aria-hidden="true" />;
  if (state === "starting") return <p className="gate-camera-words">Starting the camera…</p>;
  const [title, help] = cameraWords[state];
  return (
    <div className="gate-camera-words" role="status">
      <Sign of="camera" />
      <strong>{title}</strong>
      <span>{help}</span>
      <span>Search and keyboard scanners work without it.</span>
      <button type="button" className="gate-button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

const cameraWords: Readonly<Record<Exclude<CameraState, "on" | "starting">, readonly [string, string]>> = {
  refused: ["Camera not allowed", "Allow the camera for this site in the browser’s settings."],
  absent: ["No camera found", "This device has no camera, or it is turned off."],
  busy: ["Camera busy", "Another app may be using it."],
  unreadable: ["Code reader missing", "It could not be loaded. It needs a connection the first time."],
  insecure: ["Camera needs https", "Open the gate at its https address."],
};
