// The rear camera, its torch, and the codes it sees. Requests the camera, releases it while the page is hidden, and reports why
// there is none.
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { createDecoder, type Decoder } from "./decoder.ts";

export type CameraState = "starting" | "on" | "refused" | "absent" | "busy" | "unreadable" | "insecure";

interface Camera {
  readonly state: CameraState;
  /** Undefined when the camera has no torch. */
  readonly torch: boolean | undefined;
  readonly toggleTorch: () => void;
  readonly retry: () => void;
}

/** `onFrame` is called with all codes of every frame. */
export function useCamera(
  video: RefObject<HTMLVideoElement | null>,
  onFrame: (texts: readonly string[]) => void,
): Camera {
  const [state, setState] = useState<CameraState>("starting");
  const [torch, setTorch] = useState<boolean>();
  const track = useRef<MediaStreamTrack>(undefined);
  const restart = useRef(() => {});
  const notify = useRef(onFrame);
  useEffect(() => {
    notify.current = onFrame;
  });

  useEffect(() => {
    const camera = holdCamera(video.current!, {
      onFrame: (texts) => notify.current(texts),
      onState: setState,
      onTrack(now) {
        track.current = now;
        setTorch(now && hasTorch(now) ? false : undefined);
      },
    });
    restart.current = camera.restart;
    return camera.release;
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

const returns = ["pageshow", "focus"] as const;

interface CameraEvents {
  onFrame: (texts: readonly string[]) => void;
  onState: (state: CameraState) => void;
  /** The camera's track while it is on. */
  onTrack: (track: MediaStreamTrack | undefined) => void;
}

/** Holds the camera while the page is visible. */
function holdCamera(video: HTMLVideoElement, { onFrame, onState, onTrack }: CameraEvents) {
  // Each start has a number: when two overlap, the older one releases its camera.
  let turn = 0;
  let held: { track: MediaStreamTrack; stop: () => void } | undefined;
  const end = () => {
    turn++;
    held?.stop();
    held = undefined;
    onTrack(undefined);
  };
  const begin = async () => {
    end();
    if (document.hidden) return;
    const mine = turn;
    const isOver = () => mine !== turn;
    onState("starting");
    try {
      const watched = await watch(video, onFrame, isOver);
      if (isOver()) return watched.stop();
      held = watched;
      onTrack(watched.track);
      onState("on");
      follow(watched.track, video, (state) => isOver() || onState(state));
    } catch (error) {
      if (!isOver()) onState(stateOf(error));
    }
  };
  const restart = () => void begin();
  const onVisibility = () => {
    if (document.hidden) end();
    else restart();
  };
  // An iPhone may return to a page without firing visibilitychange.
  const onReturn = () => {
    if (held && (held.track.muted || held.track.readyState === "ended")) restart();
  };
  restart();
  document.addEventListener("visibilitychange", onVisibility);
  for (const event of returns) addEventListener(event, onReturn);
  return {
    restart,
    release() {
      document.removeEventListener("visibilitychange", onVisibility);
      for (const event of returns) removeEventListener(event, onReturn);
      end();
    },
  };
}

/**
 * When a phone call or another app takes the camera, Safari mutes the track and other browsers end it. Safari also keeps showing
 * the last frame.
 */
function follow(track: MediaStreamTrack, video: HTMLVideoElement, onState: (state: "on" | "busy") => void) {
  if (track.muted) onState("busy");
  track.addEventListener("ended", () => onState("busy"));
  track.addEventListener("mute", () => onState("busy"));
  track.addEventListener("unmute", () => {
    void video.play().catch(() => {});
    onState("on");
  });
}

async function watch(
  video: HTMLVideoElement,
  onFrame: (texts: readonly string[]) => void,
  isStopped: () => boolean,
): Promise<{ track: MediaStreamTrack; stop: () => void }> {
  const [stream, decoder] = await openBoth();
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
  // Not awaited: for a camera that begins muted it may never settle.
  void video.play().catch(() => {});
  const nextFrame = (): Promise<unknown> =>
    new Promise((resolve) => {
      if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(resolve);
      else requestAnimationFrame(resolve);
    });
  void (async () => {
    while (running) {
      await nextFrame();
      const texts = running ? await decoder.read(video) : [];
      if (running) onFrame(texts);
    }
  })();
  return { track, stop };
}

/** Where one of the two fails, the other is given back. */
async function openBoth(): Promise<[MediaStream, Decoder]> {
  if (!navigator.mediaDevices) throw new DOMException("", "InsecureError");
  const camera = navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } },
  });
  const reader = createDecoder().catch(() => {
    throw new DOMException("", "UnreadableError");
  });
  try {
    return await Promise.all([camera, reader]);
  } catch (error) {
    void camera.then((stream) => stream.getTracks().forEach((track) => track.stop())).catch(() => {});
    void reader.then((decoder) => decoder.close()).catch(() => {});
    throw error;
  }
}

/** Older browsers report a boolean, the standard a list of the available values. */
function hasTorch(track: MediaStreamTrack): boolean {
  const { torch } = (track.getCapabilities?.() ?? {}) as { torch?: boolean | readonly boolean[] };
  return typeof torch === "object" ? torch.includes(true) : torch === true;
}

function stateOf(error: unknown): CameraState {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError" || name === "SecurityError") return "refused";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "absent";
  if (name === "InsecureError") return "insecure";
  return name === "UnreadableError" ? "unreadable" : "busy";
}
