import { PathFunctionError } from './evaluate-path-function.ts';

/** How many values one path may visit: `$..*..*` visits the square of its input. */
const maxVisits = 5_000_000;
/** And how long it may take, as for a JSONata expression: filters compare whole values. */
const maxMs = 1_000;

/** What is left of the visits and time of one evaluation. Both methods throw PathFunctionError. */
export class PathBudget {
  private visits = 0;
  private sinceLook = 0;
  private readonly startedAt = performance.now();

  visit(values = 1): void {
    this.visits += values;
    if (this.visits > maxVisits) {
      throw new PathFunctionError(`The path visits more than ${maxVisits} values`);
    }
    this.sinceLook += 1;
    if (this.sinceLook < 4_096) return;
    this.sinceLook = 0;
    this.checkTime();
  }

  checkTime(): void {
    if (performance.now() - this.startedAt > maxMs) {
      throw new PathFunctionError(`The path takes longer than ${maxMs} ms`);
    }
  }
}
