export const handler = async (event: { readonly throw?: unknown }) => {
  if ('throw' in event) throw event.throw;
  const error = new Error('the shop is closed');
  error.name = 'Terminal';
  throw error;
};
