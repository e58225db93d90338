/**
 * Entries that come and go with the traffic, by key, in no promised order.
 *
 * In place of a Map, whose table points to the one it was rehashed into, every few entries however few it has at a time
 * (V8, src/objects/ordered-hash-table.h, NextTable): one table that has grown old keeps all later ones and what stood in
 * them, until the next full collection, and every small one before that has it all to copy.
 */
export class InFlight<Key extends string | number, Value> {
  readonly #entries: Record<string | number, Value> = Object.create(null) as Record<string, Value>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    return this.#entries[key];
  }

  set(key: Key, value: Value): void {
    if (!(key in this.#entries)) this.#size += 1;
    this.#entries[key] = value;
  }

  delete(key: Key): boolean {
    if (!(key in this.#entries)) return false;
    this.#size -= 1;
    return delete this.#entries[key];
  }

  values(): Value[] {
    return Object.values(this.#entries);
  }
}
