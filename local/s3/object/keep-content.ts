import type { ContentFiles } from '../store/content-files.ts';
import type { ReceivedContent } from './receive-content.ts';

/**
 * Makes received bytes durable and hands their file's name to `commit`, which puts it into the index.
 * If that throws, the file is removed again; if not, the files that it replaced are.
 */
export async function keepContent<Result extends { removedFiles: readonly string[] }>(
  content: ContentFiles,
  { incoming }: ReceivedContent,
  commit: (file: string) => Result,
): Promise<Result> {
  let file: string;
  try {
    file = await incoming.keep();
  } catch (error) {
    await incoming.discard();
    throw error;
  }
  let result: Result;
  try {
    result = commit(file);
  } catch (error) {
    await content.remove([file]);
    throw error;
  }
  await content.remove(result.removedFiles);
  return result;
}
