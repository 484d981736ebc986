import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { isPublic, NotReachable, reachAnything, reachPublic } from "./outward.ts";

it.each([
  ...["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
  ...["224.0.0.1", "255.255.255.255", "::1", "::", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"],
  ...["2002:a00:1::", "no address"],
])("counts %s as not public", (address) => {
  expect(isPublic(address)).toBe(false);
});

it.each(["8.8.8.8", "172.15.0.1", "2606:4700::1111"])("counts %s as public", (address) => {
  expect(isPublic(address)).toBe(true);
});

it.each([
  ["http://example.com/", "a plain address"],
  ["https://127.0.0.1/", "this machine"],
  ["https://[::1]/", "this machine"],
  ["https://169.254.169.254/latest/meta-data", "a cloud's metadata"],
  ["https://2130706433/", "this machine as a number"],
  ["https://localhost/", "a name that leads to this machine"],
])("does not contact %s, %s, for an address that came through the API", async (url) => {
  await expect(reachPublic(url)).rejects.toThrow(NotReachable);
});

it("follows no redirect and reads no more than a megabyte", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/away") return response.writeHead(302, { location: "/large" }).end();
    response.write(Buffer.alloc(700_000));
    response.end(Buffer.alloc(700_000));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await reachAnything(`${url}/away`)).status).toBe(302);
  await expect(reachAnything(`${url}/large`)).rejects.toThrow("answers too much");
  server.closeAllConnections();
  server.close();
});
