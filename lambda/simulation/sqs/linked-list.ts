/** A place in a {@link LinkedList}: what its owner keeps to remove it without a search. */
export interface Place<T> {
  readonly value: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/** A list whose ends and known places are reached and removed in constant time. */
export class LinkedList<T> {
  first: Place<T> | undefined;
  private last: Place<T> | undefined;

  /** Appends a value and answers its place. */
  append(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.last, next: undefined };
    if (this.last === undefined) {
      this.first = place;
    } else {
      this.last.next = place;
    }
    this.last = place;
    return place;
  }

  /** Removes a place that is in this list. Its `next` stays readable. */
  remove(place: Place<T>): void {
    if (place.previous === undefined) {
      this.first = place.next;
    } else {
      place.previous.next = place.next;
    }
    if (place.next === undefined) {
      this.last = place.previous;
    } else {
      place.next.previous = place.previous;
    }
  }
}
