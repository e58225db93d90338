/** An argument that an intrinsic function cannot take: becomes States.IntrinsicFailure. */
export class IntrinsicError extends Error {
  override readonly name = 'IntrinsicError';
}
