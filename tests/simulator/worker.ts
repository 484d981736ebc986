// A process of `simulate.ts`: runs the seeds it receives on its own database, one after the other.
import { openSimulator } from "./run.ts";

const simulator = await openSimulator(process.argv[2]!);
process.on("disconnect", () => process.exit());
process.on("message", async (seed: number | "stop") => {
  if (seed === "stop") {
    await simulator.close();
    process.exit();
  }
  process.send!({ seed, ...(await simulator.run(seed)) });
});
