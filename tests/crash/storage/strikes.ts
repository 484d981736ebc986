// Where a kill comes: at a file operation of the server, at a request to S3, or some time after a change was sent.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../simulator/random.ts";
import type { Victim } from "../server.ts";
import type { Steps } from "../steps.ts";
import { burning, type FileStep, type Fuse, light, type Verb } from "./fuse.ts";
import { type Change, CHANGES } from "./changes.ts";
import type { S3Double, S3Step } from "../../../server/testing/storage/s3-double.ts";

const TARGETS = ["node", "postgres", "power"] as const;
export type Killed = Fuse["target"];

export interface Strike {
  /** The step at which it comes. */
  readonly name: string;
  readonly target: Killed;
  /** Resolves with whether it fell, as soon as it has or when `isOver` says that nothing happens any more. */
  falls(isOver: () => boolean): Promise<boolean>;
}

interface Parts {
  readonly random: Random;
  readonly victim: Victim;
  readonly dataDir: string;
  readonly s3: S3Double | undefined;
  readonly steps: Steps<Change>;
}

const WHEN = ["before", "after"] as const;
const VERBS_BY_FOLDER: Readonly<Record<string, readonly Verb[]>> = {
  storage: ["write", "sync", "rename", "link", "copy", "remove"],
  "storage-staging": ["write", "sync", "remove"],
  "storage-uploads": ["write", "sync", "rename", "remove"],
  "storage-renders": ["write", "rename", "remove"],
};
const S3_REQUESTS = ["put", "copy", "delete", "get"] as const;

export function drawStrike(parts: Parts): Strike {
  const { random, s3 } = parts;
  const kind = random.below(10);
  if (kind < 3) return afterChange(parts);
  if (s3 && kind < 7) return atRequest(parts, s3);
  return atFile(parts);
}

function atFile({ random, dataDir, s3 }: Parts): Strike {
  const folder = random.pick([s3 ? "storage-staging" : "storage", "storage-uploads", "storage-renders"])!;
  const step: FileStep = { folder, verb: random.pick(VERBS_BY_FOLDER[folder]!)!, when: random.pick(WHEN)! };
  const target = random.pick(TARGETS)!;
  const delayMs = random.chance(0.5) ? 0 : random.below(15);
  return {
    name: `${step.when} ${step.verb} in ${folder}`,
    target,
    falls(isOver) {
      light(dataDir, { ...step, target, delayMs, skip: random.below(3) });
      return burning(dataDir, isOver);
    },
  };
}

function atRequest({ random, victim }: Parts, s3: S3Double): Strike {
  const step: S3Step = { request: random.pick(S3_REQUESTS)!, when: random.pick(WHEN)! };
  const target = random.pick(TARGETS)!;
  return {
    name: `${step.when} S3 ${step.request}`,
    target,
    async falls(isOver) {
      let fell = false;
      s3.on(step, () => {
        fell = victim.strike(target, random);
      });
      while (!fell && !isOver()) await sleep(5);
      s3.off();
      return fell;
    },
  };
}

function afterChange({ random, victim, steps }: Parts): Strike {
  const change = random.pick(CHANGES)!;
  const target = random.pick(TARGETS)!;
  return {
    name: `${change} sent`,
    target,
    async falls(isOver) {
      while (!(await steps.next(change, 200))) if (isOver()) return false;
      await sleep(random.below(40));
      return victim.strike(target, random);
    },
  };
}
