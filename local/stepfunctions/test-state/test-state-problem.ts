/** A TestState request that is refused: AWS's error code and message. */
export class TestStateProblem extends Error {
  override readonly name = 'TestStateProblem';
  readonly code: 'ValidationException' | 'InvalidDefinition' | 'InvalidExecutionInput';

  constructor(code: TestStateProblem['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidRequest(message: string): TestStateProblem {
  return new TestStateProblem('ValidationException', message);
}
