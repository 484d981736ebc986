// The options and words that a command was called with, or its usage.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { StartError } from "../server/src/platform/start-error.ts";

/**
 * Ends the process for `--help`, and with 2 for an option or a word that the command does not know: `npm run rotate-entry-key -- --help`
 * must not rotate the key. Call it before anything is done. From then on a StartError ends the process with its sentence alone.
 */
export function commandLine<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  process.once("uncaughtException", (error) => {
    console.error(error instanceof StartError ? error.message : error);
    process.exit(1);
  });
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) {
    console.log(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\nUsage: ${usage}`);
    process.exit(2);
  }
}
