export async function checkMutations(_only?: string): Promise<boolean> {
  return await Promise.resolve(true);
}
