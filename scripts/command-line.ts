// The options and words that a command was called with, or its usage.
import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Ends the process for `--help`, and with 2 for an option or a word that the command does not know: `npm run rotate-entry-key -- --help`
 * must not rotate the key. Call it before anything is done.
 */
export function commandLine<const Config extends ParseArgsConfig>(usage: string, config: Config) {
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
