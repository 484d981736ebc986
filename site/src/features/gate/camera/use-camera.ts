// The camera at the back of the phone, its torch, and the codes it sees. Owns asking for it, giving it back while the page is
// hidden, and saying why there is none.
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { createDecoder } from "./decoder.ts";

export type CameraState = "starting" | "on" | "refused" | "absent" | "busy" | "unreadable" | "insecure";

interface Camera {
  readonly state: CameraState;
  /** Undefined when the camera has none. */
  readonly torch: boolean | undefined;
  readonly toggleTorch: () => void;
  readonly retry: () => void;
}

/** `onCode` is called for every frame that shows a code. */
export function useCamera(video: RefObject<HTMLVideoElement | null>, onCode: (text: string) => void): Camera {
  const [state, setState] = useState<CameraState>("starting");
  const [torch, setTorch] = useState<boolean>();
  const track = useRef<MediaStreamTrack>(undefined);
  const restart = useRef(() => {});
  const notify = useRef(onCode);
  useEffect(() => {
    notify.current = onCode;
  });

  useEffect(() => {
    let stopped = false;
    let stop = () => {};
    const begin = async () => {
      stop();
      if (document.hidden) return;
      setState("starting");
      setTorch(undefined);
      try {
        const ended = await watch(
          video.current!,
          (text) => notify.current(text),
          () => stopped,
        );
        if (stopped) return ended.stop();
        stop = ended.stop;
        track.current = ended.track;
        setTorch(hasTorch(ended.track) ? false : undefined);
        setState("on");
        ended.track.addEventListener("ended", () => setState("busy"));
      } catch (error) {
        if (!stopped) setState(stateOf(error));
      }
    };
    const onVisibility = () => {
      if (document.hidden) stop();
      else void begin();
    };
    restart.current = () => void begin();
    void begin();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      stopped = true;
      document.removeEventListener("visibilitychange", onVisibility);
      stop();
    };
  }, [video]);

  const toggleTorch = useCallback(() => {
    const on = !torch;
    track.current
      ?.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] })
      .then(() => setTorch(on))
      .catch(() => setTorch(undefined));
  }, [torch]);

  return { state, torch, toggleTorch, retry: () => restart.current() };
}

async function watch(
  video: HTMLVideoElement,
  onCode: (text: string) => void,
  isStopped: () => boolean,
): Promise<{ track: MediaStreamTrack; stop: () => void }> {
  if (!navigator.mediaDevices) throw new DOMException("", "InsecureError");
  const [stream, decoder] = await Promise.all([
    navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } },
    }),
    createDecoder().catch(() => {
      throw new DOMException("", "UnreadableError");
    }),
  ]);
  const track = stream.getVideoTracks()[0]!;
  let running = !isStopped();
  const stop = () => {
    running = false;
    track.stop();
    decoder.close();
    if (video.srcObject === stream) video.srcObject = null;
  };
  if (!running) {
    stop();
    return { track, stop };
  }
  video.srcObject = stream;
  await video.play().catch(() => {});
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(resolve);
      else requestAnimationFrame(resolve);
    });
  void (async () => {
    while (running) {
      await nextFrame();
      const text = running ? await decoder.read(video) : null;
      if (running && text) onCode(text);
    }
  })();
  return { track, stop };
}

const hasTorch = (track: MediaStreamTrack): boolean =>
  "torch" in (track.getCapabilities?.() ?? {}) &&
  (track.getCapabilities() as { torch?: boolean }).torch === true;

function stateOf(error: unknown): CameraState {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "refused";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "absent";
  if (name === "InsecureError") return "insecure";
  return name === "UnreadableError" ? "unreadable" : "busy";
}
