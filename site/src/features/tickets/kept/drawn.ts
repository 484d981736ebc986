import QRCode from "qrcode";
import type { Kept } from "./store.ts";

/** The kept passes with pictures of their codes, drawn here because those on the server need a network. */
export async function drawn(kept: Kept): Promise<Kept> {
  const passes = await Promise.all(
    kept.passes.map(async (pass) => ({ ...pass, codeUrl: await pictureOf(pass.code) })),
  );
  return { ...kept, passes };
}

async function pictureOf(code: string): Promise<string> {
  const svg = await QRCode.toString(code, { type: "svg", errorCorrectionLevel: "M", margin: 4 });
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
