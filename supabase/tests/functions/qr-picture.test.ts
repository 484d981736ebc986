import { randomBytes } from "node:crypto";
import QRCode from "qrcode";
import sharp from "sharp";
import { toBase32 } from "contract/tickets/base32";
import { describe, expect, it } from "vitest";
import { drawQrCode, modulesOf } from "../../functions/_shared/qr-picture.ts";
import { codesIn } from "../../../shop/testing/paper.ts";

const tokens = [
  ["entry code", toBase32(randomBytes(93)), 41],
  ["old entry code", randomBytes(107).toString("base64url"), 49],
] as const;

describe.each(tokens)("the picture of an %s", (_which, token, modules) => {
  it("reads as its token, and is small enough to mail by the hundred", async () => {
    const picture = drawQrCode(token);
    expect(await codesIn(picture)).toEqual([token]);
    expect(picture.length).toBeLessThan(1_500);
    expect(modulesOf(token).size).toBe(modules);
  });

  it("has the pixels that qrcode would draw", async () => {
    const mode = modules === 41 ? "alphanumeric" : "byte";
    const drawn = await QRCode.toBuffer([{ data: token, mode }] as QRCode.QRCodeSegment[], {
      errorCorrectionLevel: "M",
      maskPattern: 4,
      margin: 4,
      scale: 8,
    });
    const pixels = (picture: Uint8Array) =>
      sharp(picture, { failOn: "warning" }).grayscale().removeAlpha().raw().toBuffer();
    expect((await pixels(drawQrCode(token))).equals(await pixels(drawn))).toBe(true);
  });
});
