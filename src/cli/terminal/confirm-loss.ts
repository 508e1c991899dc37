import { CliError } from "../cli-error.js";
import { confirm } from "./confirm.js";

/** Asks before something is lost for good, unless `--yes` was given; scripts, which can't be asked, must give it. */
export async function confirmLoss(question: string, { yes }: { readonly yes?: boolean }): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CliError("usage", `${question} Say so with --yes`);
  if (!(await confirm(question))) throw new CliError("not_confirmed", "nothing was changed");
}
