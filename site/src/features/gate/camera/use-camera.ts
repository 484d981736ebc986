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
    // Each beginning has a number: of two that overlap, the older one gives its camera back.
    let turn = 0;
    let stop = () => {};
    const end = () => {
      turn++;
      stop();
      stop = () => {};
      track.current = undefined;
    };
    const begin = async () => {
      end();
      if (document.hidden) return;
      const mine = turn;
      const isOver = () => mine !== turn;
      setState("starting");
      setTorch(undefined);
      try {
        const watched = await watch(video.current!, (text) => notify.current(text), isOver);
        if (isOver()) return watched.stop();
        stop = watched.stop;
        track.current = watched.track;
        setTorch(hasTorch(watched.track) ? false : undefined);
        setState("on");
        follow(watched.track, video.current!, (state) => isOver() || setState(state));
      } catch (error) {
        if (!isOver()) setState(stateOf(error));
      }
    };
    const onVisibility = () => {
      if (document.hidden) end();
      else void begin();
    };
    // An iPhone may come back to a page without saying that it is visible again.
    const onReturn = () => {
      const { readyState, muted } = track.current ?? {};
      if (track.current && (muted || readyState === "ended")) void begin();
    };
    restart.current = () => void begin();
    void begin();
    document.addEventListener("visibilitychange", onVisibility);
    for (const event of returns) addEventListener(event, onReturn);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      for (const event of returns) removeEventListener(event, onReturn);
      end();
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

const returns = ["pageshow", "focus"] as const;

/** A phone call or another app takes the camera: Safari mutes the track, others end it. Safari also leaves the picture standing. */
function follow(track: MediaStreamTrack, video: HTMLVideoElement, onState: (state: "on" | "busy") => void) {
  track.addEventListener("ended", () => onState("busy"));
  track.addEventListener("mute", () => onState("busy"));
  track.addEventListener("unmute", () => {
    void video.play().catch(() => {});
    onState("on");
  });
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

/** Older browsers say yes or no, the standard lists what can be had. */
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
