export const handler = async ({ bytes }: { readonly bytes: number }) => 'x'.repeat(bytes);
