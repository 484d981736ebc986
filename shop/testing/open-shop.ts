// A world and its catalog for the tests of one file: `const { world, shop } = await openShop()` at the top.
import { afterAll } from "vitest";
import { readCatalog } from "./carts.ts";
import { openWorld } from "./world.ts";

/** Closed after the file's last test. */
export async function openShop() {
  const world = await openWorld();
  afterAll(() => world.close());
  return { world, shop: await readCatalog(world) };
}
