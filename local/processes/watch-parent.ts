const INTERVAL_MS = 500;

/**
 * Calls `gone` once when the bootstrap that started this process is gone: kill -9 tells nobody.
 *
 * A process that was not started by it (PAWL_BOOTSTRAP_PID) may outlive its parent, as under nohup.
 */
export function watchParent(gone: () => void): void {
  const parent = process.ppid;
  if (process.env['PAWL_BOOTSTRAP_PID'] !== String(parent)) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, INTERVAL_MS);
  timer.unref();
}
