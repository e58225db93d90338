/** The codes of https://docs.aws.amazon.com/step-functions/latest/apireference/API_ValidateStateMachineDefinitionDiagnostic.html */
export type DiagnosticCode =
  | 'INVALID_JSON_DESCRIPTION'
  | 'SCHEMA_VALIDATION_FAILED'
  | 'MISSING_TRANSITION_TARGET'
  | 'MISSING_END_STATE'
  | 'DUPLICATE_STATE_NAME'
  | 'INVALID_STATE_NAME'
  | 'DUPLICATE_LABEL_NAME'
  | 'INVALID_LABEL_NAME'
  | 'TOO_DEEPLY_NESTED'
  | 'INVALID_JSONATA_EXPRESSION'
  | 'UNSUPPORTED_JSONATA_EXPRESSION'
  | 'NO_DOLLAR'
  | 'NO_PATH'
  | 'PASS_RESULT_IS_STATIC';

export type Diagnostic = {
  readonly severity: 'ERROR' | 'WARNING';
  readonly code: DiagnosticCode;
  readonly message: string;
  /** As in `/States/X/Next`; absent where AWS gives none. */
  readonly location?: string;
};

/** The text of InvalidDefinition, as CreateStateMachine answers with it. */
export function invalidDefinitionMessage(diagnostics: readonly Diagnostic[]): string {
  const texts = diagnostics
    .filter((each) => each.severity === 'ERROR')
    .map((each) => `${each.code}: ${each.message} at ${each.location ?? 'null'}`);
  return `Invalid State Machine Definition: '${texts.join(', ')}'`;
}
