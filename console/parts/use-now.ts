import { useEffect, useState } from 'react';

/** The time, brought up to date every `everyMs`; stands still where that is 0. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}
