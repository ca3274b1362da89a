export { deriveConcurrency } from '../lambda/contract';
export type { Concurrency } from '../lambda/contract';
