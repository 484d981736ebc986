// The sound and vibration of a scan: a rising pair for go, a low buzz for stop, one tone for the rest. The browser generates
// the tones, so there is nothing to load.
import type { Tone } from "./rules/words.ts";

/** Hertz, start in seconds, length in seconds. */
const tones: Readonly<Record<Tone, readonly (readonly [hertz: number, at: number, long: number])[]>> = {
  go: [
    [880, 0, 0.09],
    [1320, 0.1, 0.16],
  ],
  stop: [
    [180, 0, 0.22],
    [150, 0.26, 0.34],
  ],
  wait: [
    [520, 0, 0.14],
    [520, 0.2, 0.14],
  ],
  out: [
    [1320, 0, 0.09],
    [880, 0.1, 0.16],
  ],
  plain: [[660, 0, 0.12]],
};

const pulses: Readonly<Record<Tone, number | number[]>> = {
  go: 60,
  stop: [220, 80, 220],
  wait: [90, 60, 90],
  out: 60,
  plain: 30,
};

/** A tone that comes later than this would be taken for the next scan's. */
const LATE_MS = 400;

let audio: AudioContext | undefined;

/** The events that browsers accept as user activation. A finger going down does not count yet. */
const touches = ["pointerup", "click", "keydown"] as const;

/**
 * Browsers allow sound only after a touch, and an iPhone forgets that with each phone call. Returns a function that stops.
 */
export function wakeSoundWithTouches(): () => void {
  for (const touch of touches) addEventListener(touch, wakeSound, { passive: true });
  return () => {
    for (const touch of touches) removeEventListener(touch, wakeSound);
  };
}

function wakeSound(): void {
  try {
    if (!audio) soundThoughSilent();
    audio ??= new AudioContext();
    if (audio.state !== "running") void audio.resume().catch(() => {});
  } catch {
    // no sound on this device
  }
}

/** An iPhone's silent switch mutes pages that do not declare playback. The gate has its own switch. */
function soundThoughSilent(): void {
  const { audioSession } = navigator as { audioSession?: { type: string } };
  if (audioSession) audioSession.type = "playback";
}

export function signal(tone: Tone, isMuted: boolean): void {
  // Before the first touch, browsers refuse and log that to the console.
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pulses[tone]);
  if (isMuted || !audio) return;
  const context = audio;
  if (context.state === "running") return play(context, tone);
  const from = performance.now();
  context.resume().then(
    () => performance.now() - from < LATE_MS && play(context, tone),
    () => {}, // before the first touch
  );
}

function play(context: AudioContext, tone: Tone): void {
  for (const [hertz, at, long] of tones[tone]) {
    const oscillator = context.createOscillator();
    const volume = context.createGain();
    const from = context.currentTime + at;
    oscillator.type = tone === "stop" ? "sawtooth" : "triangle";
    oscillator.frequency.value = hertz;
    volume.gain.setValueAtTime(0.5, from);
    volume.gain.exponentialRampToValueAtTime(0.01, from + long);
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(from);
    oscillator.stop(from + long);
  }
}
