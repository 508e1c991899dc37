import { writeJson } from "../../json/exact-json.js";

/** Writes results to standard output and everything else to standard error, so that pipes stay clean. */
export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  /** A result: the object for scripts, the text for people. */
  result(value: object, text: string): void {
    process.stdout.write(`${this.json ? writeJson(value) : text}\n`);
  }

  /** A remark for people; scripts don't get it. */
  note(text: string): void {
    if (!this.json) process.stderr.write(`${text}\n`);
  }

  /** Something to be seen in either case. */
  warn(text: string): void {
    process.stderr.write(this.json ? `${JSON.stringify({ warning: text })}\n` : `findling: ${text}\n`);
  }
}
