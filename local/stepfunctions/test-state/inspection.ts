import type { Json } from '../language/json.ts';
import type { Recorder } from '../language/scope.ts';
import type { ErrorDetails, InspectionData } from './test-state-request.ts';

/** What DEBUG and TRACE show of a state's run; values become JSON texts. */
export class Inspection {
  private readonly data: InspectionData = {};

  readonly recorder: Recorder = (step, value) => {
    this.show(step, value);
  };

  constructor(input: Json) {
    this.show('input', input);
  }

  show(name: string, value: Json): void {
    this.data[name] = JSON.stringify(value);
  }

  showNumber(name: string, value: number): void {
    this.data[name] = value;
  }

  showErrorDetails(details: ErrorDetails): void {
    this.data['errorDetails'] = details;
  }

  toData(): InspectionData {
    return this.data;
  }
}
