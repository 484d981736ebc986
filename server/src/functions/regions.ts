// Which region answers a request. The platform has many regions, and we have one.
/** The platform's regions, as functions-js names them. */
const REGIONS = new Set([
  ...["ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2", "ca-central-1"],
  ...[
    "eu-central-1",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "sa-east-1",
    "us-east-1",
    "us-west-1",
    "us-west-2",
  ],
]);

/**
 * The region that answers a request: one machine represents every region, so the answer names the one that a client requests. The
 * parameter is for browsers whose preflight does not allow the header.
 */
export function regionOf({ url, headers }: Request): string {
  const inUrl = url.includes("forceFunctionRegion=")
    ? /[?&]forceFunctionRegion=([\w-]+)/.exec(url)?.[1]
    : undefined;
  const asked = headers.get("x-region") ?? inUrl;
  return asked !== undefined && REGIONS.has(asked) ? asked : "local";
}
