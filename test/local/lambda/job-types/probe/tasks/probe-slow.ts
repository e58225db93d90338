import { setTimeout as delay } from 'node:timers/promises';

export const handler = async () => {
  await delay(60_000);
};
