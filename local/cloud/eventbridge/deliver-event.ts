import type { BusEvent } from './archive-store.ts';
import type { EventBridge } from './event-bridge.ts';
import type { Target } from './rules-store.ts';

/** Brings an event to the targets of every matching rule, or of those that are named. */
export function deliverEvent(
  bridge: EventBridge,
  event: BusEvent,
  isMeant: (rule: string) => boolean = () => true,
): void {
  for (const rule of bridge.rules.matching(event)) {
    if (!isMeant(rule.name)) continue;
    for (const target of rule.targets) deliver(bridge, rule.name, target, event);
  }
}

/** A target that cannot take it loses the event, as on AWS after its retries; here the log says so at once. */
function deliver(bridge: EventBridge, rule: string, target: Target, event: BusEvent): void {
  const body = target.input ?? JSON.stringify(event);
  try {
    if (target.arn.startsWith('arn:aws:sns:')) bridge.publishToTopic(target.arn, body);
    else bridge.sendToQueue(target.arn, body, target.messageGroupId);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    bridge.log(`event lost: rule ${rule}, target ${target.id}: ${reason}`);
  }
}
