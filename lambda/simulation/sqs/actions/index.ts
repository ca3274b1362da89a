import type { Action } from './call';
import { changeMessageVisibility, changeMessageVisibilityBatch } from './change-message-visibility';
import { deleteMessage, deleteMessageBatch } from './delete-message';
import { cancelMessageMoveTask, listMessageMoveTasks, startMessageMoveTask } from './message-move-tasks';
import { getQueueAttributes, setQueueAttributes } from './queue-attributes';
import * as queues from './queues';
import { receiveMessage } from './receive-message';
import { sendMessage, sendMessageBatch } from './send-message';

/** The actions of the service that are served, by name. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  CancelMessageMoveTask: cancelMessageMoveTask,
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: queues.createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  DeleteQueue: queues.deleteQueue,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: queues.getQueueUrl,
  ListDeadLetterSourceQueues: queues.listDeadLetterSourceQueues,
  ListMessageMoveTasks: listMessageMoveTasks,
  ListQueueTags: queues.listQueueTags,
  ListQueues: queues.listQueues,
  PurgeQueue: queues.purgeQueue,
  ReceiveMessage: receiveMessage,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  SetQueueAttributes: setQueueAttributes,
  StartMessageMoveTask: startMessageMoveTask,
  TagQueue: queues.tagQueue,
  UntagQueue: queues.untagQueue,
};
