// P11: the time a device at the gate takes, on a processor throttled to a quarter: to verify a code, and from the first frame
// that shows a code to the answer on the screen. The camera is a film of a real code, played by Chromium. When a frame shows the
// code is detected in the picture itself, independently of the app. The throttle only applies to the page's thread: zxing's
// worker runs at full speed, so three times its duration is added.
import { type CDPSession, chromium, type Page } from "playwright";
import { fakeCamera } from "../../support/gate/fake-camera.ts";
import { removeFolder, startFestival, temporaryFolder } from "../../support/server/festival.ts";
import { openGate, startScanning } from "../../support/gate/arrival.ts";
import { type Figure, number } from "../figures.ts";
import { WrongAnswer } from "../pairs.ts";

const THROTTLE = 4;
const LOOKS = 8;

interface Seen {
  readonly verify: number[];
  readonly decode: number[];
  /** From the code in view to the answer's color. */
  readonly color: number[];
}

export async function measureGateDevice(): Promise<readonly Figure[]> {
  const dataDir = temporaryFolder();
  const festival = await startFestival({ dataDir });
  const camera = await fakeCamera();
  const browser = await chromium.launch(camera.launchOptions);
  try {
    const gate = await openGate(festival.status);
    const [ticket] = await gate.sell("general");
    // Longer out of view than the app waits before it reads the same code again.
    camera.show({ seconds: 2.6 }, { code: ticket!.code, seconds: 1.4 });
    const page = await browser.newPage({
      baseURL: festival.status.API_URL!,
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 3,
      isMobile: true,
    });
    const session = await page.context().newCDPSession(page);
    await startScanning(page, gate);
    const online = await watch(page, session);
    await page.context().setOffline(true);
    const offline = await watch(page, session);
    return [
      figure("verify a code, median", median([...online.verify, ...offline.verify]), 150),
      figure("camera to color, online, median", withWorker(online), 500),
      figure("camera to color, offline, median", withWorker(offline), 500),
    ];
  } finally {
    await browser.close();
    await festival.stop("SIGINT");
    removeFolder(dataDir);
  }
}

async function watch(page: Page, session: CDPSession): Promise<Seen> {
  await session.send("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  const seen = await page.evaluate(watchLooks, LOOKS);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  if (seen.color.length < LOOKS) throw new WrongAnswer(`Only ${seen.color.length} looks were answered.`);
  return seen;
}

/** Runs in the page. */
async function watchLooks(looks: number): Promise<{ verify: number[]; decode: number[]; color: number[] }> {
  const video = document.querySelector("video")!;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const color: number[] = [];
  let inView: number | undefined;
  performance.clearMeasures();
  const observer = new MutationObserver(() => {
    if (!document.querySelector(".gate-result") || inView === undefined) return;
    const from = inView;
    inView = undefined;
    // The timeout runs after the next frame has been painted.
    requestAnimationFrame(() => setTimeout(() => color.push(performance.now() - from)));
  });
  observer.observe(document.querySelector("main")!, { childList: true });
  let showed = true;
  const look = () => {
    context.drawImage(video, 0, 0, 8, 8);
    const { data } = context.getImageData(0, 3, 1, 1); // a pixel next to the code: always gray
    const middle = context.getImageData(2, 3, 4, 2).data;
    const shows = Math.max(...middle.filter((_, at) => at % 4 === 0)) > data[0]! + 15;
    if (shows && !showed) inView = performance.now();
    showed = shows;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  const end = performance.now() + looks * 10_000;
  while (color.length < looks && performance.now() < end) await new Promise((done) => setTimeout(done, 100));
  observer.disconnect();
  const took = (name: string) => performance.getEntriesByName(name).map(({ duration }) => duration);
  return { verify: took("gate: verify"), decode: took("gate: decode"), color };
}

const withWorker = ({ color, decode }: Seen): number => median(color) + (THROTTLE - 1) * median(decode);

function median(values: readonly number[]): number {
  if (values.length === 0) throw new WrongAnswer("The app measured nothing.");
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

const figure = (what: string, amount: number, most: number): Figure => ({
  what: `${what}, processor ${THROTTLE} times slower`,
  ours: `${number(amount)} ms`,
  against: "",
  amount,
  goal: { atMost: most },
});
