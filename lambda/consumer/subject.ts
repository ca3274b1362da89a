import type { RecordMessage } from './received-message';
import type { Book } from './record-book';

/** A record of a batch and where its books are kept. */
export interface Subject {
  readonly message: RecordMessage;
  readonly book: Book;
}
