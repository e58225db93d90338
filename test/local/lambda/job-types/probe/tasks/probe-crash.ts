export const handler = async () => {
  process.exit(3);
};
