/**
 * The next deadline of every open execution, the earliest first: a binary heap in which an
 * execution's entry can be moved or removed in O(log n). One alarm serves all of them.
 */
export class DeadlineHeap {
  readonly #ids: number[] = [];
  readonly #dueAt: number[] = [];
  readonly #places = new Map<number, number>();

  get size(): number {
    return this.#ids.length;
  }

  /** Infinity when nothing is waiting. */
  get earliest(): number {
    return this.#dueAt[0] ?? Infinity;
  }

  /** Infinity removes the entry. */
  set(id: number, dueAt: number): void {
    const place = this.#places.get(id);
    if (dueAt === Infinity) {
      if (place !== undefined) this.#remove(place);
      return;
    }
    if (place === undefined) {
      this.#ids.push(id);
      this.#dueAt.push(dueAt);
      this.#places.set(id, this.#ids.length - 1);
      this.#rise(this.#ids.length - 1);
      return;
    }
    this.#dueAt[place] = dueAt;
    this.#rise(place);
    this.#sink(this.#places.get(id) ?? place);
  }

  /** Takes out every execution whose deadline has come. */
  takeDue(now: number): number[] {
    const due: number[] = [];
    while (this.earliest <= now) {
      const id = this.#ids[0];
      if (id === undefined) break;
      due.push(id);
      this.#remove(0);
    }
    return due;
  }

  #remove(place: number): void {
    const last = this.#ids.length - 1;
    this.#swap(place, last);
    const id = this.#ids.pop();
    this.#dueAt.pop();
    if (id !== undefined) this.#places.delete(id);
    if (place < last) {
      this.#rise(place);
      this.#sink(place);
    }
  }

  #rise(place: number): void {
    let child = place;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(child, parent);
      child = parent;
    }
  }

  #sink(place: number): void {
    let parent = place;
    for (;;) {
      const left = 2 * parent + 1;
      const right = left + 1;
      let least = parent;
      if (this.#at(left) < this.#at(least)) least = left;
      if (this.#at(right) < this.#at(least)) least = right;
      if (least === parent) return;
      this.#swap(parent, least);
      parent = least;
    }
  }

  #at(place: number): number {
    return this.#dueAt[place] ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [idA, idB] = [this.#ids[a], this.#ids[b]];
    const [dueA, dueB] = [this.#dueAt[a], this.#dueAt[b]];
    if (idA === undefined || idB === undefined || dueA === undefined || dueB === undefined) return;
    this.#ids[a] = idB;
    this.#ids[b] = idA;
    this.#dueAt[a] = dueB;
    this.#dueAt[b] = dueA;
    this.#places.set(idB, a);
    this.#places.set(idA, b);
  }
}
