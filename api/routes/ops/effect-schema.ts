import { type Static, Type } from 'typebox';
import type { EffectView } from '../../../jobs/store/find-effects.ts';
import { orNull, time } from '../../schemas.ts';

/** An effect as operators see it. */
export const effect = Type.Object({
  effectId: Type.String(),
  tenantId: Type.String(),
  jobId: Type.String(),
  effectKey: Type.String(),
  provider: Type.String(),
  operation: Type.String(),
  policy: Type.String(),
  status: Type.String(),
  providerReference: orNull(Type.String()),
  response: orNull(Type.Object({ status: Type.Integer(), body: Type.String() })),
  lastError: orNull(Type.String()),
  attempts: Type.Integer(),
  leaseUntil: orNull(time),
  createdAt: time,
  updatedAt: time,
  completedAt: orNull(time),
});

export const representEffect = (view: EffectView): Static<typeof effect> => ({
  effectId: view.effectId,
  tenantId: view.tenantId,
  jobId: view.jobId,
  effectKey: view.effectKey,
  provider: view.provider,
  operation: view.operation,
  policy: view.policy,
  status: view.status,
  providerReference: view.providerReference,
  response: view.response,
  lastError: view.lastError,
  attempts: view.attempts,
  leaseUntil: view.leaseUntil?.toISOString() ?? null,
  createdAt: view.createdAt.toISOString(),
  updatedAt: view.updatedAt.toISOString(),
  completedAt: view.completedAt?.toISOString() ?? null,
});
