/** The items of a Map Run cannot be read; the Map Run fails with States.ItemReaderFailed. */
export class ItemReaderError extends Error {
  override readonly name = 'ItemReaderError';
}
