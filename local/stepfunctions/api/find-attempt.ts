import { parseToken, type TokenParts } from '../execution/task-token.ts';
import { findThread, openOf } from '../execution/view.ts';
import { ApiError } from './api-error.ts';
import type { Api } from './operation.ts';

/**
 * The attempt a task token stands for. Throws InvalidToken for a text that is no token, and
 * TaskTimedOut for one whose attempt is over (answered, timed out, its execution ended).
 */
export function findAttempt({ host }: Api, token: string): TokenParts {
  const parts = parseToken(token);
  if (!parts) throw new ApiError('InvalidToken', `Invalid Token: 'Invalid token'`);
  const view = host.view(parts.executionId);
  const thread = view && findThread(view, parts.threadId);
  const phase = thread?.at.kind === 'inside' ? openOf(thread).phase : undefined;
  const live = view?.status === 'RUNNING' && phase?.kind === 'attempt';
  if (!live || phase.attempt.token !== token) throw taskTimedOut();
  return parts;
}

export function taskTimedOut(): ApiError {
  return new ApiError('TaskTimedOut', `Task Timed Out: 'Provided task does not exist anymore'`);
}
