import { randomBytes } from "node:crypto";
import QRCode from "qrcode";
import sharp from "sharp";
import { expect, it } from "vitest";
import { drawQrCode } from "../../functions/_shared/qr-picture.ts";
import { codesIn } from "../../../shop/testing/paper.ts";

const token = randomBytes(107).toString("base64url"); // as long as a signed one

it("the picture of an entry code reads as its token, and is small enough to mail by the hundred", async () => {
  const picture = drawQrCode(token);
  expect(await codesIn(picture)).toEqual([token]);
  expect(picture.length).toBeLessThan(1_500);
});

it("the picture of an entry code has the pixels that qrcode would draw", async () => {
  const drawn = await QRCode.toBuffer(token, {
    errorCorrectionLevel: "M",
    maskPattern: 4,
    margin: 4,
    scale: 8,
  });
  const pixels = (picture: Uint8Array) =>
    sharp(picture, { failOn: "warning" }).grayscale().removeAlpha().raw().toBuffer();
  expect((await pixels(drawQrCode(token))).equals(await pixels(drawn))).toBe(true);
});
