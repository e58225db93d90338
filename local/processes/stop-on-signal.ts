/**
 * Ends this process in good order on SIGTERM, SIGINT or SIGHUP; returns what the signals do, for other reasons to stop.
 *
 * Coming again meanwhile changes nothing: a terminal's Ctrl-C can arrive three times (process group, npm, bootstrap).
 */
export function stopOnSignal(stop: () => Promise<void> | void): () => void {
  let stopping = false;
  const begin = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  };
  const onSignal = (): void => void begin();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, onSignal);
  return onSignal;
}
