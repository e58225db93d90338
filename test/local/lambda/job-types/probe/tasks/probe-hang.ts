export const handler = () => {
  for (;;);
};
