// Pictures in a vendor's application: resized and sent from the form, kept in it, and shown to the organizer (PRODUCT 4.5).
import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { newEmail } from "../../support/shop/accounts.ts";
import { arriveAsAdmin } from "../../support/shop/admin-arrival.ts";
import { openAlive } from "../../support/page/alive.ts";
import { serviceClient } from "../../support/shop/arrival.ts";
import { type CuttingProxy, openCuttingProxy } from "../../support/server/cutting-proxy.ts";
import { answerWith, expectLogged, refusal } from "../../support/page/faults.ts";
import { expect, expectAccessible, test } from "../../support/fixtures.ts";
import { installJumpingClock } from "../../support/page/jumping-clock.ts";

const photo = join(import.meta.dirname, "../../../docs/home.jpg");
const notAPicture = { name: "notes.png", mimeType: "image/png", buffer: Buffer.from("only words") };

/** Fills in an application up to the step with pictures. */
async function openPictures(page: Page, email = newEmail("vendor")) {
  await openAlive(page, "/vendors");
  const form = page.getByRole("region", { name: "Vendor Application" });
  await form.getByLabel("Business Name").fill("Pictured Plates");
  await form.getByLabel("Contact Name").fill("Vera Vendor");
  await form.getByLabel("Email").fill(email);
  await form.getByLabel("Phone").fill("713 555 0177");
  await form.getByRole("button", { name: "Next Step" }).click();
  await form.getByRole("radio", { name: "Food" }).check();
  await form.getByLabel("Business Description").fill("Plates");
  await form.getByLabel("Products").fill("Plates");
  const rows = form.getByRole("list", { name: "Your pictures" }).getByRole("listitem");
  return { form, rows, chooser: form.getByLabel("Pictures", { exact: true }) };
}

test("a vendor attaches pictures, which stay in the form until it is sent", async ({ page, pageErrors }) => {
  const email = newEmail("vendor");
  const { form, rows, chooser } = await openPictures(page, email);

  const letThrough = await answerWith(
    page,
    "**/functions/v1/vendor-picture",
    429,
    refusal("rate_limited", "Too many."),
  );
  await chooser.setInputFiles([photo]);
  await expect(rows).toContainText(["Too many."]);
  await expectLogged(pageErrors, "send a picture");
  await letThrough();
  await form.getByRole("button", { name: "Try again to send home.jpg" }).click();
  await expect(rows).toContainText(["Added"]);

  await chooser.setInputFiles([notAPicture]);
  await expect(rows.nth(1)).toContainText("Your browser can't read this file as a picture");
  await expectLogged(pageErrors, "send a picture");
  await expectAccessible(page);
  // It is left out and says so, without holding up the rest.
  await form.getByRole("button", { name: "Review Application" }).click();
  await expect(form.getByRole("status").filter({ hasText: "notes.png is left out" })).toBeVisible();
  await form.getByRole("checkbox").check();
  await expect(form.getByRole("button", { name: "Submit Application" })).toBeEnabled();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Back" }).click();
  await form.getByRole("button", { name: "Remove notes.png" }).click();
  await expect(rows).toHaveCount(1);

  await page.reload();
  await expect(rows).toContainText(["home.jpg"]);
  await form.getByRole("button", { name: "Review Application" }).click();
  await expect(form).toContainText("home.jpg");
  await expect(form).not.toContainText("left out");
  const accept = await answerWith(
    page,
    "**/functions/v1/submit-vendor-application",
    429,
    refusal("rate_limited", "Not now."),
  );
  await form.getByRole("button", { name: "Submit Application" }).click();
  await expect(form).toContainText("Your application was not sent.");
  pageErrors.length = 0;
  await accept();
  await form.getByRole("button", { name: "Submit Application" }).click();
  await expect(page.getByRole("alertdialog", { name: "Application submitted successfully!" })).toBeVisible();

  const { data } = await serviceClient()
    .from("vendor_applications")
    .select("pictures")
    .eq("contact_email", email)
    .single();
  const [path] = data!.pictures as string[];
  const { data: stored } = await serviceClient().storage.from("vendor-pictures").info(path!);
  expect(stored).toMatchObject({ contentType: "image/webp", size: expect.any(Number) });
});

const throughProxy = test.extend<{ readonly way: CuttingProxy }>({
  way: async ({}, use) => {
    const way = await openCuttingProxy();
    await use(way);
    way.close();
  },
  proxy: ({ way }, use) => use(way.settings),
});

/** How many bytes of each upload the server has. */
function partsOnDisk(): number[] {
  const folder = join(process.env.FESTIVAL_DATA!, "storage-uploads");
  return readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
}

throughProxy(
  "a picture whose upload is cut off resumes where it stopped, and shows its progress",
  async ({ page, way, pageErrors }) => {
    const { rows, chooser } = await openPictures(page);
    const offsets: number[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
    });
    const half = way.stopNext("PATCH");
    const letThrough = way.holdAnswers("PATCH");
    await chooser.setInputFiles([photo]);
    const { bytes, cut } = await half;
    await expect.poll(partsOnDisk).toContain(bytes);
    cut();
    await expect.poll(() => offsets).toEqual([0, bytes]);
    const bar = rows.getByRole("progressbar", { name: "Sending home.jpg" });
    await expect.poll(async () => Number(await bar.getAttribute("value"))).toBeGreaterThanOrEqual(0.5);
    letThrough();
    await expect(rows).toContainText("Added");
    await expectLogged(pageErrors, "net::ERR_");
  },
);

throughProxy(
  "a picture whose upload stops moving says so after a minute, and resumes where it stopped when tried again",
  async ({ page, way, pageErrors }) => {
    const jump = await installJumpingClock(page);
    const { rows, chooser } = await openPictures(page);
    const offsets: number[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
    });
    const half = way.stopNext("PATCH");
    await chooser.setInputFiles([photo]);
    const { bytes } = await half;
    await expect.poll(partsOnDisk).toContain(bytes);
    await jump(61_000);
    await expect(rows).toContainText(
      "The server could not be reached. Please check your connection and try again.",
    );
    await expectLogged(pageErrors, "send a picture");
    await rows.getByRole("button", { name: "Try again to send home.jpg" }).click();
    await expect(rows).toContainText("Added");
    expect(offsets).toEqual([0, bytes]);
  },
);

test("an application accepts five pictures and one more for each removed; a failed one takes no place, what does not fit is counted, and the chosen order stays", async ({
  page,
  pageErrors,
}) => {
  const { form, rows, chooser } = await openPictures(page);
  await expect(form.getByText(/^Up to 5 of your booth or goods\./)).toBeVisible();
  const buffer = await readFile(photo);
  const named = (...names: readonly string[]) =>
    names.map((name) => ({ name: `${name}.jpg`, mimeType: "image/jpeg", buffer }));
  await chooser.setInputFiles([notAPicture]);
  await expect(rows).toContainText(["read this file as a picture"]);
  await expectLogged(pageErrors, "send a picture");
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/functions/v1/vendor-picture", async (route) => {
    asked++;
    if (asked === 1) await released;
    await route.continue();
  });
  await chooser.setInputFiles(named("first"));
  await expect.poll(() => asked).toBe(1);
  await chooser.setInputFiles(named("b", "c", "d", "e", "f", "g"));
  await expect(form.getByRole("status").filter({ hasText: "left out" })).toHaveText(
    "2 pictures were left out. The limit is 5.",
  );
  await expect(rows.filter({ hasText: "Added" })).toHaveCount(4);
  await expect(form.getByRole("button", { name: "Try again to send notes.png" })).toBeDisabled();
  release();
  await expect(rows.filter({ hasText: "Added" })).toHaveCount(5);
  await expect(rows).toContainText(["notes.png", "first", "b.jpg", "c.jpg", "d.jpg", "e.jpg"]);
  await expect(form.getByText("That's all 5. Remove one to add another.")).toBeVisible();
  await expect(chooser).toBeDisabled();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Remove c.jpg" }).click();
  await expect(chooser).toBeEnabled();
  await chooser.setInputFiles(named("h"));
  await expect(rows.filter({ hasText: "Added" })).toHaveCount(5);
  await expect(form.getByText("left out")).toBeHidden();
  await form.getByRole("button", { name: "Review Application" }).click();
  await expect(form.getByRole("definition").filter({ hasText: "first.jpg" })).toHaveText(
    "first.jpg\nb.jpg\nd.jpg\ne.jpg\nh.jpg",
  );
});

test("the organizer sees a vendor's pictures as thumbnails that open the full picture", async ({
  page,
  context,
}) => {
  const booth = `Pictured ${Date.now()}`;
  const email = newEmail("vendor");
  const path = crypto.randomUUID();
  const bucket = serviceClient().storage.from("vendor-pictures");
  expect((await bucket.upload(path, await readFile(photo), { contentType: "image/jpeg" })).error).toBeNull();
  const application = {
    ...{
      booth_name: booth,
      contact_name: "Vera Vendor",
      contact_email: email,
      contact_phone: "713-555-0101",
    },
    ...{ vendor_type: "food", description: "Links", products: "Links", description_of_goods: "Hot links" },
  };
  const { error } = await serviceClient()
    .from("vendor_applications")
    .insert({ ...application, pictures: [path] });
  expect(error).toBeNull();
  await arriveAsAdmin(page);
  await page.goto(`/admin/vendors?q=${email}`);
  await page.getByRole("button", { name: `Details for ${booth}` }).click();
  const thumbnail = page.getByRole("img", { name: `Picture 1 of ${booth}` });
  await expect
    .poll(() => thumbnail.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]))
    .toEqual([320, 240]);
  const opened = context.waitForEvent("page");
  await thumbnail.click();
  await expect(await opened).toHaveURL(({ pathname }) => pathname.includes("/object/sign/vendor-pictures/"));
});
