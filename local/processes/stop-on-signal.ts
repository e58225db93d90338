/**
 * Ends this process in good order on SIGTERM, SIGINT or SIGHUP; a signal that comes again meanwhile changes nothing.
 *
 * A terminal's Ctrl-C can arrive up to three times (process group, npm, bootstrap).
 */
export function stopOnSignal(stop: () => Promise<void> | void): void {
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
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => void begin());
}
