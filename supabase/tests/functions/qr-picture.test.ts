import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { drawQrCode } from "../../functions/_shared/qr-code.ts";
import { codesIn } from "../../../shop/testing/paper.ts";

it("the picture of an entry code reads as its token, and is small enough to mail by the hundred", async () => {
  const token = randomBytes(195).toString("base64url"); // as long as a signed one
  const picture = await drawQrCode(token);
  expect(await codesIn(picture)).toEqual([token]);
  expect(picture.length).toBeLessThan(6_500);
});
