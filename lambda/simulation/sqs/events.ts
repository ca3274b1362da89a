import type { MessageContent, MessageView } from './message';

/** What happens in an engine, told to its observers right after it took effect. */
export type SqsEvent =
  | { readonly type: 'sent' | 'received' | 'deleted'; readonly queue: string; readonly message: MessageView }
  /** A send was accepted and dropped, since its deduplication id was seen within five minutes; `messageId` is the first one's. */
  | {
      readonly type: 'deduplicated';
      readonly queue: string;
      readonly messageId: string;
      readonly content: MessageContent;
    }
  | {
      readonly type: 'visibilityChanged';
      readonly queue: string;
      readonly message: MessageView;
      /** From now. */
      readonly seconds: number;
    }
  /** A message was received too often and went to `target`; `message` is the one that lies there now. */
  | { readonly type: 'deadLettered'; readonly queue: string; readonly target: string; readonly message: MessageView }
  /** A move task took a message from `queue` to `target`; `message` is the new one. */
  | { readonly type: 'moved'; readonly queue: string; readonly target: string; readonly message: MessageView }
  /** A message grew older than the queue's retention and is lost. */
  | { readonly type: 'expired'; readonly queue: string; readonly message: MessageView }
  | { readonly type: 'purged'; readonly queue: string; readonly messages: number };

/** Called with every event, in order. Must not throw, and must not call the engine before it has returned. */
export type SqsObserver = (event: SqsEvent) => void;
