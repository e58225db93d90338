interface Context {
  getRemainingTimeInMillis(): number;
}

export const handler = async (event: unknown, context: Context) => ({
  event,
  context,
  remainingMs: context.getRemainingTimeInMillis(),
});
