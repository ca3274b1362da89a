export * from './clock';
export * from './invoker';
export * from './logger';
export * from './message-queue';
export * from './metrics';
export * from './randomness';
export * from './secrets';
export * from './state-store';
