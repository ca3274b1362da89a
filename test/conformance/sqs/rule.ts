import type { ConformanceContext } from './context';

/** One statement about Amazon SQS that AWS documents, and how to see whether an endpoint keeps it. */
export interface ConformanceRule {
  /** Stable name, unique: area and number. */
  readonly id: string;
  /** The statement, a sentence. */
  readonly rule: string;
  /** Page of the AWS documentation that says so. */
  readonly source: string;
  /** More time must pass than a test waits for: can only be seen where the clock can be moved. @default false */
  readonly needsClock?: boolean;
  /** Rejects, with an AssertionError, when the endpoint does otherwise. */
  run(context: ConformanceContext): Promise<void>;
}

const GUIDE = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const API = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference';

/** A page of the SQS developer guide. */
export function guide(page: string): string {
  return `${GUIDE}/${page}.html`;
}

/** The API reference of an action. */
export function action(name: string): string {
  return `${API}/API_${name}.html`;
}
